"""What the scenario's system knows at the first window of a run, of a workload, and of operations in groups."""

from contextlib import nullcontext

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.placements import KERNEL
from pmtwin.scenarios.numa_threads.points import COLUMNS, CORE
from pmtwin.scenarios.numa_threads.workloads import Workload, workload_of

DRAM = [number for number, column in enumerate(COLUMNS) if "dram" in column.name]


class Still:
    """Moves nobody; keeps what it is shown."""

    def __init__(self):
        self.seen, self.high = [], None

    def calls(self):
        return nullcontext()

    def state(self, point, key):
        self.high = np.array([column.high for column in point.features])
        return self

    def decide(self, features, mask):
        self.seen.append(features)
        return 0

    def observe(self, features, action, reward):
        pass


@pytest.fixture
def start(small):
    """Starts a system of a seed with a policy at the cores."""

    def started(policy=None, seed=1, workload="fillrandom", **options):
        system = small(**options).system(workload, seed)
        system.decide(CORE, policy or Still(), 1)
        system.start(KERNEL)
        return system

    return started


@pytest.mark.parametrize("coming", ["readrandom", Workload(0.0, threads=4)], ids=["same-threads", "others"])
def test_nobody_is_asked_by_a_window_of_another_workload(start, coming):
    policy = Still()
    system = start(policy)
    for _ in range(3):
        system.run_window()
    asked = len(policy.seen)
    assert asked > 0 and system.measures()["decisions"] > 0
    system.set_context(coming)
    system.run_window()
    assert (len(policy.seen), system.measures()["decisions"]) == (asked, 0)
    system.run_window()
    assert len(policy.seen) > asked


def test_no_life_of_a_seed_repeats_the_draws_of_another_seed(start):
    keys = []
    for seed in range(4):
        system = start(seed=seed)
        for threads in (6, 5, 6):
            system.set_context(workload_of("fillrandom")._replace(threads=threads))
            keys.append(system._run.state.thread["key"].tolist())
    lives = {tuple(each) for each in keys}
    assert len({key for life in lives for key in life}) == sum(map(len, lives)) == 4 * 17


def test_groups_of_operations_miss_as_many_lines_of_dram(start):
    shown = []
    for group_us in (0.0, 50.0):
        policy = Still()
        system = start(policy, workload="mixed-50", value_bytes=200.0, group_us=group_us, window_s=0.003)
        for _ in range(3):
            system.run_window()
        lines = np.array(policy.seen)[:, DRAM]
        assert (lines < policy.high[DRAM]).all()
        shown.append(lines.sum(axis=1).mean())
    assert shown[1] == pytest.approx(shown[0], rel=0.1)
