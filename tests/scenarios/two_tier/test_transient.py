"""Out of equilibrium: both limits of the transient, and how far it is from the simulation between them."""

import numpy as np
import pytest

from pmtwin.scenarios.two_tier.formulas import equilibrium, fluid
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.simulated import run_workload
from pmtwin.scenarios.two_tier.transient import transient


def options(requests):
    return TwoTierOptions(processes=1, requests=requests)


def test_a_long_workload_comes_to_the_equilibrium():
    result = transient(options(10**6), 100.0, 16, 10**6)
    assert result.mean_response_ms == pytest.approx(equilibrium(options(10**6), 100.0, 16).mean_response_ms, rel=5e-3)


def test_a_long_overload_comes_to_the_fluid_limit():
    result, limit = transient(options(10**6), 300.0, 16, 10**6), fluid(options(10**6), 300.0, 16)
    assert result.completion_s == pytest.approx(limit.completion_s, rel=2e-3)
    assert result.waiting_misses == pytest.approx((60.0 - 33.0) * limit.arrival_s, rel=2e-3)


def test_an_empty_start_answers_sooner_than_the_equilibrium():
    means = [transient(options(n), 150.0, 16, n).mean_response_ms for n in (100, 1000, 10_000, 100_000)]
    assert means == sorted(means) and means[0] < 0.5 * means[-1]
    assert means[-1] < equilibrium(options(1), 150.0, 16).mean_response_ms


@pytest.mark.parametrize(
    ("rate", "requests", "percent"), [(100.0, 1000, 10.0), (150.0, 1000, 30.0), (300.0, 1000, 15.0)]
)
def test_beside_the_simulation(rate, requests, percent):
    runs = [run_workload(options(requests), rate, 16, seed) for seed in range(200)]
    result = transient(options(requests), rate, 16, requests)
    simulated = np.mean([each.means["mean_response_ms"] for each in runs])
    assert result.mean_response_ms == pytest.approx(simulated, rel=percent / 100.0)
    assert result.completion_s == pytest.approx(np.mean([each.completion_s for each in runs]), rel=0.03)
