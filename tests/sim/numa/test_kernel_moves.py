"""What Linux does with threads that nobody pinned, and how threads of a queue take turns."""

import numpy as np
import pytest

from pmtwin.sim.numa.kernel import Kernel
from pmtwin.sim.numa.load import Load, Threads
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.records import SOCKET
from pmtwin.sim.numa.run import Run
from pmtwin.sim.numa.running import SIMULATORS, start_run
from tests.sim.numa.machines import StatedCosts

MACHINE, KERNEL = Machine(nodes=2, cores=4), Kernel()


@pytest.fixture
def start():
    def started(count: int, cores, kernel: Kernel = KERNEL, machine: Machine = MACHINE, **more) -> Run:
        return start_run(machine, kernel, Load(), Threads(count=count, start=cores), StatedCosts(), **more)

    return started


def test_a_fork_spreads_threads_over_nodes_then_physical_cores(start):
    assert start(6, "spread").core_of.tolist() == [0, 8, 1, 9, 2, 10]


def test_threads_on_one_queue_spread(start):
    run = start(8, np.zeros(8, int))
    run.advance(2.0)
    assert sorted(np.bincount(run.core_of // 8)) == [4, 4]
    assert len(set(run.core_of % 4 + run.core_of // 8 * 4)) == 8  # each a physical core


@pytest.mark.parametrize("engine", SIMULATORS)
def test_threads_that_were_pinned_to_a_core_spread_when_they_are_let_go(start, engine):
    run = start(8, np.zeros(8, int), engine=engine)
    run.set_affinities([(0,)] * 8)
    run.advance(0.2)
    assert set(run.core_of) == {0}
    run.set_affinities([None] * 8)
    run.advance(1.0)
    assert sorted(np.bincount(run.core_of // 8)) == [4, 4]


def test_a_core_that_took_a_running_thread_does_not_spare_the_next_one(start):
    """As Linux, which counts such a look as one in vain; the queues are in balance from then on."""
    run = start(2, np.array([0, 4]), machine=Machine(nodes=1, cores=4))
    run.advance(1.0)
    took = run.core_of[run.state.thread["migrations"] > 0]
    assert run.state.failed[took, SOCKET].tolist() == [SOCKET + 1]


def test_threads_that_share_a_physical_core_part(start):
    run = start(2, np.array([0, 4]))
    run.advance(1.0)
    first, second = run.core_of
    assert MACHINE.sibling_of[first] != second


def test_without_balance_nobody_moves(start):
    run = start(8, np.zeros(8, int), Kernel(balance=False))
    run.advance(2.0)
    assert set(run.core_of) == {0}


def test_busy_nodes_within_a_quarter_of_each_other_are_left_alone(start):
    """9 and 8 threads on nodes of 4 logical cores: 12 % more, less than 125 %."""
    machine = Machine(nodes=2, cores=4, threads_per_core=1)
    cores = np.array([*np.arange(9) % 4, *4 + np.arange(8) % 4])
    run = start(17, cores, machine=machine)
    run.advance(20.0)
    assert run.window().thread["node_migrations"].sum() == 0


def test_threads_of_a_queue_take_turns_of_12_ms_and_3_ms(start):
    machine = Machine(nodes=1, cores=1, threads_per_core=1)
    for count, slice_s in ((2, 0.012), (20, 0.003)):
        run = start(count, np.zeros(count, int), machine=machine)
        run.advance(6.0)
        window = run.window()
        assert window.thread["switches"].sum() == pytest.approx(6.0 / slice_s, rel=0.02)
        np.testing.assert_allclose(window.thread["cpu_ns"], 6e9 / count, rtol=0.05)


def test_a_thread_that_is_sent_elsewhere_refills_its_caches(start):
    """1 MiB / 2 at 0.5 ns a byte, and 2 us of a switch, come on top of an operation alone."""
    times = []
    for refill_bytes in (0.0, None):
        run = start(1, np.array([0]), Kernel(refill_bytes=refill_bytes))
        run.set_affinity(0, [1])
        run.advance(0.5)
        times.append(run.state.thread["operations"][0])
    assert times[0] - times[1] == pytest.approx(2**19 * 0.5 / 155e3, abs=1.01)


def test_a_sibling_slows_the_software_alone(start):
    alone, together = start(1, np.array([0])), start(2, np.array([0, 4]), Kernel(balance=False))
    for run in (alone, together):
        run.advance(2.0)
    rates = [run.window().thread["operations"][0] for run in (alone, together)]
    assert rates[0] / rates[1] == pytest.approx((150 + 1.3 * 5) / (150 + 5), rel=0.005)


def test_a_switch_takes_its_time_however_slow_the_memory_is(start):
    """2 ms of each slice of 12 ms, on a node that serves 12 threads half as fast as one."""
    machine, cores = Machine(nodes=1, cores=12, threads_per_core=1), np.arange(24) % 12
    windows = []
    for switch_us in (0.0, 2e3):
        run = start(24, cores, Kernel(switch_us=switch_us, balance=False), machine)
        run.advance(3.0)
        windows.append(run.window())
    without, with_switches = windows
    assert with_switches.operations_per_s / without.operations_per_s == pytest.approx(10 / 12, rel=0.01)
    assert with_switches.thread["sys_ns"].sum() == pytest.approx(12 * 3e9 * 2 / 12, rel=0.01)


def test_an_operation_that_stands_for_several_touches_the_pages_of_all():
    load, value, page = Load(pattern="sequential", group=3), 400_000, 2 << 20
    run = start_run(MACHINE, KERNEL, load, Threads(count=1, start=np.array([0])), StatedCosts())
    run.advance(0.05)
    thread = run.state.thread[0]
    assert thread["minor_faults"] == pytest.approx(3 * value / page * (thread["operations"] + 1))
    assert thread["sys_ns"] == pytest.approx(1e3 * thread["minor_faults"] + 2e3)
