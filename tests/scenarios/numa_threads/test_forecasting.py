"""Forecasts of placements from counters: what the threads do is estimated, not told."""

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads import NumaThreads
from pmtwin.scenarios.numa_threads.formulas import ops_per_s
from pmtwin.scenarios.numa_threads.model import costs_of
from pmtwin.scenarios.numa_threads.workloads import RANDOM, Workload

SETTINGS = np.array([(0, 0, 0), (48, 12, 0), (42, 12, 0), (24, 12, 12), (48, 12, 12), (0, 0, 12)])


def shown(scenario, workload, ops=1e4):
    """Observation and measures of a window in which a workload finishes so many operations/s."""
    costs, mix = costs_of(scenario.options, workload), np.array([workload.read_share, 1.0 - workload.read_share])
    names = [column.name for column in scenario.columns]
    observation = np.zeros(len(names))
    observation[names.index("threads")] = workload.threads
    read, written = (ops * float(mix @ np.asarray(each)) / 1e9 for each in (costs.read_bytes, costs.written_bytes))
    return observation, {"ops_per_s": ops, "read_gb_s": read, "written_gb_s": written}


@pytest.mark.parametrize(
    "workload",
    [
        Workload(0.5, RANDOM, 400_000.0, 48),
        Workload(1.0, RANDOM, 30_000.0, 48),
        Workload(0.2, RANDOM, 3_000.0, 48),
    ],
    ids=["large", "reads", "small"],
)
def test_the_rates_are_those_of_the_workload_that_the_counters_show(workload):
    scenario = NumaThreads.of()
    forecast = scenario.forecaster().forecast(*shown(scenario, workload), SETTINGS)
    rates = forecast.measures["ops_per_s"][0]
    assert (rates[[0, 2, 4]] == 0.0).all(), "nothing is placed, or the same is stated in another way"
    running = np.array([(12.0, 0.0), (12.0, 12.0), (0.0, 12.0)])
    known = ops_per_s(scenario.options, workload, running)
    assert rates[[1, 3, 5]] == pytest.approx(known, rel=0.15)


def test_formulas_believe_in_the_profile_that_they_are_told():
    workload = Workload(0.0, RANDOM, 400_000.0, 48)
    scenarios = [NumaThreads.of(believed_profile=name) for name in ("", "optane-dcpmm-100-256gb")]
    ours, other = (
        scenario.forecaster().forecast(*shown(scenario, workload), SETTINGS).measures["ops_per_s"][0, 1]
        for scenario in scenarios
    )
    assert other > 1.05 * ours
