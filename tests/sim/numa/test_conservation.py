"""What is counted in several ways agrees, on random machines that change while they run."""

import numpy as np
import pytest

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.window import CORE_COUNTERS, THREAD_COUNTERS
from tests.sim.numa.machines import change, draw, draw_store

MACHINES = 40


@pytest.fixture(
    scope="module",
    params=[
        *(("compiled", draw, number) for number in range(MACHINES)),
        *(("simpy", draw_store, number) for number in range(8)),
        *(("analytic", each, number) for each in (draw, draw_store) for number in range(10)),
    ],
    ids=lambda case: f"{case[0]}-{case[1].__name__}-{case[2]}",
)
def steps(request):
    """A random machine that changes, and of each window: (affinity, cores of the threads, costs, what it shows)."""
    engine, drawing, number = request.param
    rng = np.random.default_rng([number, 7])
    drawn = drawing(rng)
    run = drawn.start(engine)
    seen = []
    for _ in range(5):
        run.advance(run.now_s + rng.exponential(0.05))
        seen.append((run.affinity, run.core_of, run.costs, run.window()))
        change(rng, [run], drawn)
    return run, seen


def test_counters_agree(steps):
    _, seen = steps
    for affinity, core_of, _, window in seen:
        thread, core = window.thread, window.core
        wall_ns = 1e9 * window.seconds
        assert thread["operations"].sum() == thread["done"].sum() == core["done"].sum() == window.flow.sum()
        assert window.latency.sum() == window.flow.sum()
        near = np.einsum("iio->o", window.flow)
        np.testing.assert_array_equal(core["done"].sum(axis=0), [near, window.flow.sum(axis=(0, 1)) - near])
        assert core["busy_ns"].max() <= wall_ns * (1 + 1e-9)
        assert core["busy_ns"].sum() == pytest.approx(thread["cpu_ns"].sum(), abs=1.0)
        assert core["runnable_ns"].sum() == pytest.approx((thread["cpu_ns"] + thread["wait_ns"]).sum(), abs=1.0)
        assert np.all(thread["cpu_ns"] + thread["wait_ns"] <= wall_ns + 1.0)
        assert np.all((thread["sys_ns"] >= 0.0) & (thread["latency_ns"] >= 0.0))
        assert np.all(thread["node_migrations"] <= thread["migrations"])
        alive = core_of >= 0
        assert affinity[np.flatnonzero(alive), core_of[alive]].all()


def test_the_windows_sum_to_the_totals(steps):
    """From the first operations on, whose pages are the first to be touched."""
    run, seen = steps
    windows = [*(window for *_, window in seen), run.window()]
    for part, names in (("thread", THREAD_COUNTERS), ("core", CORE_COUNTERS)):
        for name in names:
            total = sum(getattr(window, part)[name] for window in windows)
            np.testing.assert_allclose(total, getattr(run.state, part)[name], rtol=1e-9, atol=1e-3)


def test_bytes_follow_from_the_operations(steps):
    run, seen = steps
    for _, _, costs, window in seen:
        gets, puts = window.flow.sum(axis=(0, 1))
        assert window.read_bytes.sum() == pytest.approx(gets * costs.read_bytes[0] + puts * costs.read_bytes[1])
        assert window.written_bytes.sum() == pytest.approx(puts * costs.written_bytes[1])
        assert not window.flow[:, run.machine.thread_nodes :].any()
        far = window.flow * (1 - np.eye(run.machine.nodes))[..., None]
        crossed = far.sum(axis=(0, 1)) @ (costs.read_bytes + costs.written_bytes)
        assert window.link_bytes.sum() == pytest.approx(crossed)


def test_littles_law(steps):
    """In a closed loop all of a thread's time lies in its operations."""
    run, _ = steps
    state = run.state
    began_ns = state.thread["began_ns"] if run.copyable else np.array([thread.began for thread in run.threads])
    under_way = np.where(run.core_of >= 0, state.tally["now_ns"][0] - began_ns, 0.0)
    present_ns = state.thread["cpu_ns"] + state.thread["wait_ns"]
    np.testing.assert_allclose(state.thread["latency_ns"] + under_way, present_ns, rtol=1e-9, atol=10.0)


def test_each_thread_does_its_requests():
    rng = np.random.default_rng(5)
    run = draw(rng)._replace(threads=Threads(count=20, requests=37, pool_bytes=1e6)).start()
    run.advance(100.0)
    assert run.done
    assert set(run.state.thread["operations"]) == {37}
    assert run.now_s < 100.0


def test_pinned_threads_move_only_when_they_are_told_to():
    machine = Machine(cores=2)
    run = draw(np.random.default_rng(2))._replace(machine=machine, threads=Threads(count=12)).start()
    run.set_affinities([(thread % 8,) for thread in range(12)])
    run.window()
    run.advance(3.0)
    assert run.window().thread["migrations"].sum() == 0
    before = run.core_of
    run.set_affinities([((thread + 3) % 8,) for thread in range(12)])
    assert run.window().thread["migrations"].sum() == np.sum(run.core_of != before) == 12


@pytest.mark.parametrize("seed", range(10))
def test_no_core_idles_while_a_free_thread_waits(seed):
    """Within the longest look of an idle core."""
    drawn = draw(np.random.default_rng([seed, 11]))
    count = drawn.machine.processors * 2 + 1
    run = drawn._replace(kernel=Kernel(), threads=Threads(count=count, start=np.zeros(count, int))).start()
    run.advance(1.0)
    run.window()
    run.advance(2.0)
    assert run.window().core["busy_ns"].min() == pytest.approx(1e9)
