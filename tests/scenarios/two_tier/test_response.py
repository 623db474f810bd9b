"""Percentiles of the response by formula, beside the simulation of the same queues."""

import numpy as np
import pytest

from pmtwin.scenarios.two_tier.formulas import equilibrium
from pmtwin.scenarios.two_tier.model import network
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.response import percentiles_ms, response
from pmtwin.sim.engines import start_network
from pmtwin.sim.errors import InputError


@pytest.mark.parametrize(
    ("values", "rate", "threads", "percent"),
    [
        ({}, 100.0, 16, 2.0),
        ({}, 800.0, 1, 2.0),
        ({"cov2": 0.5}, 100.0, 2, 2.0),
        ({"servers": "shared"}, 500.0, 8, 3.0),
    ],
)
def test_p50_and_p99_beside_the_simulation(values, rate, threads, percent):
    options = TwoTierOptions(**({"mu2_per_s": 300.0} if rate == 800.0 else {}), **values)
    run = start_network(network(options, rate, threads), seed=1)
    run.run_window(20_000)
    simulated = np.percentile(run.run_window(500_000).latency_ns, (50, 99)) * 1e-6
    assert percentiles_ms(options, rate, threads, (0.5, 0.99)) == pytest.approx(simulated, rel=percent / 100.0)


@pytest.mark.parametrize("values", [{}, {"cov1": 0.5, "cov2": 2.0}, {"servers": "shared"}, {"miss_rate": 0.0}])
def test_the_transform_has_the_mean_of_the_formulas(values):
    options, step = TwoTierOptions(**values), 1e-5
    slope = (1.0 - response(options, 100.0, 4)(np.array(step))) / step
    assert 1e3 * slope == pytest.approx(equilibrium(options, 100.0, 4).mean_response_ms, rel=1e-3)


def test_no_percentile_without_an_equilibrium():
    with pytest.raises(InputError, match=r"miss queue.*overloaded by a factor of 1\.818"):
        percentiles_ms(TwoTierOptions(), 300.0, 4, (0.99,))
