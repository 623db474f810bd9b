"""Engine `analytic`: its mean values lie beside the simulated ones, and it counts all that it does."""

import copy
import pickle

import numpy as np
import pytest

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.running import start_run
from tests.sim.numa.machines import StatedCosts, random_load

SETTINGS = 12
SHORT_S, LONG_S = 0.5, 4.0


def pair(machine, kernel, load, threads, processors):
    """Windows of both engines, after a start."""
    windows = []
    for engine in ("compiled", "analytic"):
        run = start_run(machine, kernel, load, threads, StatedCosts(), engine)
        run.set_affinities([(core,) for core in processors])
        run.advance(SHORT_S)
        run.window()
        run.advance(SHORT_S + LONG_S)
        windows.append(run.window())
    return windows


def placed(number):
    """A random machine with every thread on a core of its own choice: (whether all do the same, both windows)."""
    rng = np.random.default_rng([number, 41])
    machine = Machine(
        nodes=int(rng.integers(1, 4)), cores=int(rng.integers(1, 5)), threads_per_core=int(rng.integers(1, 3))
    )
    count, several = int(rng.integers(1, 2 * machine.processors + 1)), rng.random() < 0.4
    count = min(count, 8) if several else count  # with more, each end of an operation makes a mix never met before
    data = rng.dirichlet(np.ones(machine.nodes), count) if several else rng.integers(0, machine.nodes, count)
    load, threads = random_load(rng), Threads(count=count, data=data, pool_bytes=1e8)
    alike = load.read_share in (0.0, 1.0) and not several
    return alike, pair(machine, Kernel(), load, threads, rng.integers(0, machine.processors, count))


def test_placements_run_as_fast_as_their_mean_values():
    """Half of them to 1 %. Where numbers of running threads change, and times have a kink, mean values miss by more."""
    off = []
    for alike, (simulated, mean) in map(placed, range(SETTINGS)):
        off.append(abs(mean.operations_per_s / simulated.operations_per_s - 1.0))
        assert off[-1] < (0.03 if alike else 0.15)
        assert mean.local_share == pytest.approx(simulated.local_share, abs=0.02)
        np.testing.assert_allclose(mean.core["busy_ns"], simulated.core["busy_ns"], rtol=0.01)
        if alike:
            assert mean.p99_ns == pytest.approx(simulated.p99_ns, rel=0.05)
    assert np.median(off) < 0.01


@pytest.mark.parametrize(("count", "near"), [(12, None), (12, 8), (20, 8), (30, None)])
def test_threads_go_where_the_kernel_takes_them(count, near):
    """Some are bound to the node of the data, the kernel moves the others."""
    machine, windows = Machine(cores=4), []
    for engine in ("compiled", "analytic"):
        run = start_run(machine, Kernel(), Load(), Threads(count=count), StatedCosts(), engine)
        run.advance(SHORT_S)
        run.set_affinities([machine.cores_of(0) if near and thread < near else None for thread in range(count)])
        run.advance(SHORT_S + LONG_S)
        run.window()
        run.advance(SHORT_S + 2 * LONG_S)
        windows.append(run.window())
    simulated, mean = windows
    assert mean.operations_per_s == pytest.approx(simulated.operations_per_s, rel=0.05)
    assert mean.local_share == pytest.approx(simulated.local_share, abs=0.05)


@pytest.mark.parametrize("read_share", [0.0, 0.3, 1.0])
def test_threads_end_when_their_requests_are_done(read_share):
    """Those left behind go on faster."""
    load, threads = Load(read_share=read_share), Threads(count=12, requests=500, data=np.arange(12) % 2)
    ends = []
    for engine in ("compiled", "analytic"):
        run = start_run(Machine(cores=4), Kernel(), load, threads, StatedCosts(), engine)
        run.advance(1e3)
        window = run.window()
        assert run.done
        assert window.thread["operations"].tolist() == [500] * 12
        ends.append(run.now_s)
    assert ends[1] == pytest.approx(ends[0], rel=0.05)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
def test_a_copy_goes_on_alike(copied):
    run = start_run(Machine(cores=4), Kernel(), Load(read_share=0.5), Threads(count=9), StatedCosts(), "analytic")
    run.advance(SHORT_S)
    other = copied(run)
    for each in (run, other):
        each.set_affinities([(0,), *[None] * 8])
        each.advance(2 * SHORT_S)
    for one, two in zip(run.window(), other.window(), strict=True):
        np.testing.assert_array_equal(one, two)
