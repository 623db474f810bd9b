"""Automatic NUMA balancing: threads go to their memory as far as the nodes' loads stay alike."""

import numpy as np
import pytest

from pmtwin.sim.numa.kernel import ALL_MEMORY, DAX_SKIPPED, OFF, Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.numa_balancing import may_move
from pmtwin.sim.numa.running import ENGINES, start_run
from tests.sim.numa.machines import StatedCosts

MACHINE = Machine(cores=4)
THREADS = 34


def started(mode, engine="simpy", start="spread"):
    """Puts on data of node 0."""
    threads = Threads(count=THREADS, pool_bytes=1e8, start=start)
    return start_run(MACHINE, Kernel(numa_balancing=mode), Load(spread=0.0), threads, StatedCosts(), engine)


def on_nodes(run):
    """Number of threads on each node."""
    return np.bincount(MACHINE.node_of[run.core_of], minlength=MACHINE.nodes).tolist()


@pytest.mark.parametrize(
    ("mode", "until_s", "expected"),
    [
        (OFF, 1.1, [17, 17]),
        (DAX_SKIPPED, 1.1, [17, 17]),
        (ALL_MEMORY, 0.9, [17, 17]),
        (ALL_MEMORY, 1.1, [18, 16]),
        (ALL_MEMORY, 2.1, [18, 16]),
    ],
)
def test_threads_follow_memory_until_the_loads_differ_by_an_eighth(mode, until_s, expected):
    run = started(mode)
    run.advance(until_s)
    assert on_nodes(run) == expected
    assert run.affinity.all()


def test_threads_go_back_to_where_they_began_if_persistent_memory_does_not_count():
    run = started(DAX_SKIPPED)
    run.set_affinities([[thread % 8] for thread in range(THREADS)])  # all on node 0
    run.set_affinities([None] * THREADS)
    before = on_nodes(run)
    run.advance(1.0)
    went_home = np.flatnonzero(MACHINE.node_of[run.core_of] == run.began_on)
    assert before == [THREADS, 0] and set(went_home) >= set(np.flatnonzero(run.began_on == 1)[:15])


def test_pinned_threads_stay():
    run = started(ALL_MEMORY)
    run.set_affinities([[thread % 16] for thread in range(THREADS)])
    before = run.core_of
    run.advance(1.5)
    np.testing.assert_array_equal(run.core_of, before)


def test_both_engines_move_the_same_threads():
    runs = [started(ALL_MEMORY, engine) for engine in ENGINES]
    for run in runs:
        run.advance(1.2)
    np.testing.assert_array_equal(runs[0].core_of, runs[1].core_of)
    for name in ("cpu_ns", "migrations", "done"):
        np.testing.assert_array_equal(*(run.state.thread[name] for run in runs))


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (24, 24, True),  # 23 and 25: within 112.5 %
        (23, 25, False),
        (12, 12, False),  # 11 and 13
        (36, 36, True),
        (30, 18, True),
        (18, 30, False),
        (10, 18, False),  # a core for each thread here, none there
    ],
)
def test_linux_4_18_allows_a_move_by_the_numbers_of_threads(source, target, expected):
    assert may_move(source, target, Machine(), Kernel()) == expected
