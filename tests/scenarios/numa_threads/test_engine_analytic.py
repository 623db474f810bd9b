"""Engine `analytic` beside `compiled` through the scenario: random machines, values, mixtures and placements."""

from contextlib import closing

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads import NumaThreads
from pmtwin.scenarios.numa_threads.placements import SETTINGS

CONFIGURATIONS = 10
OPS_TOLERANCE, OPS_MEDIAN = 0.05, 0.005
"""Largest deviation of operations/s of any configuration, and of half of them."""

P99_TOLERANCE = 0.05
"""Of nine in ten: where about 1 % of the operations wait for a slice of others, p99 may be that of either kind."""


def drawn(number):
    """Options, workload and placement."""
    rng = np.random.default_rng([number, 43])
    options = {
        "cores": int(rng.integers(2, 9)),
        "nodes": int(rng.integers(1, 4)),
        "threads": int(rng.integers(1, 25)),
        "value_bytes": float(np.exp(rng.uniform(np.log(200.0), np.log(4e5)))),
        "modules": int(rng.choice([2, 4, 6])),
    }
    workload = rng.choice(["fillrandom", "readrandom", f"mixed-{rng.integers(1, 100)}"])
    return options, str(workload), SETTINGS.at([int(rng.integers(width)) for width in SETTINGS.widths])


def measured(engine, options, workload, setting):
    scenario = NumaThreads.of(engine=engine, window_s=0.5, records=2_000, **options)
    with closing(scenario.system(workload, seed=1)) as system:
        system.start(setting)
        for _ in range(2):
            system.run_window()
        return system.measures()


@pytest.fixture(scope="module")
def pairs():
    """(measures of the simulation, by mean values) of each configuration."""
    return [
        tuple(measured(engine, *drawn(number)) for engine in ("compiled", "analytic"))
        for number in range(CONFIGURATIONS)
    ]


def test_mean_values_lie_beside_the_simulation(pairs):
    ops, p99 = (
        np.array([abs(mean[name] / simulated[name] - 1.0) for simulated, mean in pairs])
        for name in ("ops_per_s", "p99_ms")
    )
    assert ops.max() < OPS_TOLERANCE
    assert np.median(ops) < OPS_MEDIAN
    assert np.mean(p99 < P99_TOLERANCE) >= 0.9


def test_all_that_is_not_speed_is_the_same(pairs):
    for simulated, mean in pairs:
        for name in ("local_share", "near_use", "far_use"):
            assert mean[name] == pytest.approx(simulated[name], abs=0.02), name
        assert simulated.keys() == mean.keys()
