"""What the scenario's system knows at the first window of a run, of a workload, and of operations in groups."""

from contextlib import nullcontext

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads.placements import KERNEL
from pmtwin.scenarios.numa_threads.points import COLUMNS, CORE
from pmtwin.scenarios.numa_threads.workloads import Workload, workload_of
from pmtwin.sim.numa.load import PUT

DRAM = [number for number, column in enumerate(COLUMNS) if "dram" in column.name]


REMOTE = [column.name for column in COLUMNS].index("remote_nvm_accesses")


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


class All(Still):
    """Moves all threads."""

    def decide(self, features, mask):
        super().decide(features, mask)
        return mask.sum() - 1


@pytest.mark.parametrize(("way_back", "local"), [(False, 1.0), (True, 0.0)])
def test_threads_at_their_data_leave_them_only_with_a_way_back(start, way_back, local):
    system = start(All(), start="near", way_back=way_back)
    for _ in range(2):
        system.run_window()
    assert system.measures()["local_share"] == local


def test_what_policies_see_of_the_counters_can_be_wrong_and_the_measures_are_not(start):
    shown, measured = [], []
    for spread in (0.0, 0.2):
        policy = Still()
        system = start(policy, start="far", counter_noise=spread)
        for _ in range(3):
            system.run_window()
        shown.append(policy.seen[0]), measured.append(system.measures())
    assert measured[0] == measured[1]
    names = [column.name for column in COLUMNS]
    counters = [names.index("remote_nvm_accesses"), names.index("nvm_written")]
    wrong = np.abs(np.log(shown[1][counters] / shown[0][counters]))
    assert (wrong > 0.0).all() and (wrong < 1.0).all()


def test_loads_alone_are_what_the_operations_read(start):
    seen = {}
    for counted in ("all", "loads"):
        policy = Still()
        system = start(policy, start="far", counted=counted, records=100_000)
        for _ in range(3):
            system.run_window()
        seen[counted] = policy.seen[0][REMOTE]
    costs = system._run.costs
    part = costs.read_bytes[PUT] / (costs.read_bytes[PUT] + costs.written_bytes[PUT])
    assert seen["loads"] == pytest.approx(part * seen["all"])


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
