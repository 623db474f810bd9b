"""A real process has the members of a run of the model, and its windows."""

import math
import os
from contextlib import closing

import numpy as np
import pytest

from pmtwin.scenarios.numa_threads import NumaThreads
from pmtwin.scenarios.numa_threads.model import Model
from pmtwin.scenarios.numa_threads.native import node_loads
from pmtwin.scenarios.numa_threads.native.options import NATIVE, NativeOptions
from pmtwin.scenarios.numa_threads.native.sources import OtherProcess
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.workloads import Workload
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.numa.load import FAR, GET, NEAR, PUT


@pytest.fixture
def options(two_cpus):
    """Options of the real side on two lists."""

    def made(native=None, **values):
        values = {"threads": 2, "value_bytes": 4096.0, "records": 100, **values}
        return NumaOptions(engine=NATIVE, native=NativeOptions(node_cpus=two_cpus, **(native or {})), **values)

    return made


@pytest.fixture
def store(options, built):
    """A run of our store with a share of reads."""
    return lambda reads: closing(Model(options(), Workload(reads)).started(NATIVE, (0,)))


@pytest.mark.parametrize(("reads", "operation"), [(0.0, PUT), (1.0, GET)])
def test_operations_of_our_store_are_counted_where_they_are(store, reads, operation):
    with store(reads) as run:
        run.set_affinities([(0,), (1,)])
        settled = 0
        while settled < 3:  # an operation under way when its thread was moved may end in the second such window
            run.advance(run.now_s + 0.05)
            window = run.window()
            settled += run.core_of.tolist() == [0, 1] and bool(window.thread["operations"].all())
        assert run.affinity.tolist() == [[True, False], [False, True]]
        done = window.thread["done"]
        assert done.sum() == done[0, NEAR, operation] + done[1, FAR, operation] == window.flow.sum()
        np.testing.assert_array_equal(window.core["done"], done)
        assert window.flow[0, 1].sum() == done[1].sum()
        assert window.p99_ns > 0
        pid = run._source.pid
    assert not os.path.exists(f"/proc/{pid}")


def test_a_freed_thread_may_use_all_processors_again(store, two_cpus):
    with store(1.0) as run:
        run.set_affinities([(0,), (0,)])
        run.set_affinities([None, None])
        assert run.affinity.all()
        assert os.sched_getaffinity(run._ids[0]) == set(map(int, two_cpus))


def test_threads_of_any_process_get_their_masks_back(process, options):
    running = process(3)
    before = [os.sched_getaffinity(thread) for thread in running.threads()]
    with closing(Model(options({"pid": running.pid}), Workload(1.0)).started(NATIVE, (0,))) as run:
        run.set_affinities([(1,)] * 3)
        run.advance(run.now_s + 0.1)
        window = run.window()
        assert run.core_of[:3].tolist() == [1, 1, 1]
        assert window.thread["done"][:3, FAR, GET].min() > 0
        assert window.local_share < 0.5
        assert not run.done
    assert [os.sched_getaffinity(thread) for thread in running.threads()] == before


def test_a_process_that_ends_is_told_at_the_next_window(process, options):
    running = process(2)
    with closing(Model(options({"pid": running.pid}), Workload(1.0)).started(NATIVE, (0,))) as run:
        run.set_affinities([(1,)] * 2)
        running.kill()
        running.wait()
        window = run.window()
        assert run.done and (run.core_of < 0).all() and window.flow.sum() == 0
        run.set_affinity(0, (0,))


def test_threads_come_and_go(process, options, two_cpus):
    """Another thread gets the number of one that has ended, and its counters begin anew."""
    running = process(1)
    with closing(Model(options({"pid": running.pid}), Workload(1.0)).started(NATIVE, (0,))) as run:
        run.set_affinity(0, (1,))
        for _ in range(2):
            short = running.begin(0.3)
            run.window()
            assert (run.core_of >= 0).tolist()[:3] == [True, True, False]
            assert run.affinity[:2].tolist() == [[False, True]] * 2  # inherited
            while short in running.threads():
                run.advance(run.now_s + 0.01)
            window = run.window()
            assert run.core_of[1] < 0
            assert 0 <= window.thread["cpu_ns"][1] < 0.4e9
        inherits = running.begin()
    expected = set(map(int, two_cpus)) if len(os.sched_getaffinity(0)) == 2 else os.sched_getaffinity(0)
    assert [os.sched_getaffinity(thread) for thread in (running.pid, inherits)] == [expected] * 2


def test_a_process_that_sleeps_has_nothing_far_from_its_threads(options):
    scenario = NumaThreads(options({"pid": os.getpid()}))
    assert scenario.reward({"local_share": math.nan}) == 1.0
    assert scenario.reward({"local_share": 0.25}) == 0.25


def test_masks_of_a_process_that_nobody_moved_are_its_own(process, options, two_cpus):
    running = process(1)
    os.sched_setaffinity(running.pid, {int(two_cpus[1])})
    with closing(Model(options({"pid": running.pid}), Workload(1.0)).started(NATIVE, (0,))) as run:
        assert run.affinity.all()
        run.set_affinity(0, None)
        assert os.sched_getaffinity(running.pid) == {int(two_cpus[1])}


def test_without_counters_of_loads_cpu_time_stands_for_them_and_is_told(process, monkeypatch):
    monkeypatch.setattr(node_loads, "PERF_EVENT_OPEN", {})
    source = OtherProcess(process(1).pid, emulated=False)
    assert "near and far loads are not counted (perf_event_open: not known for" in source.missing
    done = source.look([7, 8], np.array([4_000_000, 0]), np.array([0.75, 0.0]))
    assert done.operations.tolist() == [[[3000, 0], [1000, 0]], [[0, 0], [0, 0]]]
    assert done.cpu_ns.tolist() == [4_000_000, 0]


@pytest.mark.parametrize(
    ("emulated", "done"), [(False, [[30, 0], [10, 0]]), (True, [[20, 0], [20, 0]])], ids=["own nodes", "lists"]
)
def test_loads_are_near_and_far_as_counted_unless_lists_stand_for_nodes(process, monkeypatch, emulated, done):
    monkeypatch.setattr(node_loads.NodeLoads, "look", lambda self, threads: np.array([[30, 10]] * len(threads)))
    source = OtherProcess(process(1).pid, emulated)
    assert source.missing == ""
    assert source.look([7], np.array([9]), np.array([0.5])).operations[0].tolist() == done


def test_data_beyond_the_free_memory_are_refused(options):
    with pytest.raises(InputError, match="records: 100000000 is not accepted; allowed: fewer, or smaller values"):
        Model(options(records=100_000_000, value_bytes=5000.0), Workload(1.0)).started(NATIVE, (0,))


@pytest.mark.parametrize(
    ("native", "values", "told"),
    [
        ({"path": "/dev/shm"}, {}, "path /dev/shm does not go with store map"),
        ({"store": "pmemkv"}, {}, "path is missing: a folder for the file of store pmemkv"),
        ({"pid": 1, "path": "/dev/shm"}, {}, "path /dev/shm belongs to a store"),
        ({}, {"requests": 5}, "requests 5 does not go with engine native"),
        ({}, {"start": "near"}, "start near does not go with engine native"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, native, values, told):
    with pytest.raises(InputError, match=told):
        options(native, **values)


def test_options_of_a_process_belong_to_the_real_side():
    with pytest.raises(ConflictError, match="belongs to engine native"):
        NumaOptions(native=NativeOptions())
