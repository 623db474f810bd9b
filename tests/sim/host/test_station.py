"""The host: how fast threads run, what a hand-off costs, when threads wait for a hardware thread."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim.device.profile import load_profile
from pmtwin.sim.host.station import MAX_RUNNABLE, build_host, handoff_factor
from pmtwin.sim.load.workload import ClassWorkload, Workload
from pmtwin.sim.parameters.values import resolve


def host(direct: bool = False, clients: int = 0, **values: float):
    return build_host(resolve(values), direct, clients)


def test_threads_have_a_core_each_until_the_cores_run_out():
    tables = host(cores=4, threads_per_core=2, smt_yield=0.2)
    assert tables.rate[:5].tolist() == [1.0] * 5
    assert tables.rate[5:9] == pytest.approx([4.2 / 5, 4.4 / 6, 4.6 / 7, 4.8 / 8])


def test_second_hardware_threads_add_their_yield_and_more_threads_nothing():
    tables = host(cores=24, smt_yield=0.25)
    throughput = tables.rate * np.minimum(np.arange(MAX_RUNNABLE + 1), tables.hardware_threads)
    assert tables.hardware_threads == 48
    assert throughput[48] == pytest.approx(24 * 1.25)
    assert throughput[48:] == pytest.approx(throughput[48])
    assert np.all(np.diff(throughput) >= -1e-12)


def test_one_hardware_thread_a_core_has_no_second_knee():
    tables = host(cores=6, threads_per_core=1, smt_yield=0.4)
    assert (tables.hardware_threads, set(tables.rate.tolist())) == (6, {1.0})


def test_inverse_rate_is_the_inverse():
    tables = host(cores=3)
    assert tables.inverse_rate.tolist() == (1.0 / tables.rate).tolist()


def test_threads_wait_only_where_there_are_more_than_hardware_threads():
    tables = host(cores=4, threads_per_core=2, timeslice_ns=1_000_000)
    assert tables.preempted_ns[:9].tolist() == [0.0] * 9
    assert tables.preempted_ns[[9, 12, 16]].tolist() == [125_000.0, 500_000.0, 1_000_000.0]


def test_waiting_makes_fair_shares_of_time():
    """A work w waits with probability w / slice for slice (n - h) / h: on average n / h times as long as alone."""
    tables = host(cores=8, threads_per_core=1, timeslice_ns=2_000_000)
    work_ns = 30_000.0
    mean_ns = work_ns + work_ns / tables.preemption_ns * tables.preempted_ns[20]
    assert mean_ns == pytest.approx(work_ns * 20 / 8)


def test_handoff_has_doubled_at_the_contention_threads():
    tables = host(handoff_ns=10_000, handoff_contention_threads=16)
    assert tables.handoff_ns[[0, 8, 16, 32]].tolist() == [10_000.0, 12_500.0, 20_000.0, 50_000.0]


def test_store_contention_ends_where_no_more_operations_can_run():
    tables = host(cores=8, threads_per_core=2, kv_contention_threads=8)
    assert tables.kv_factor[[0, 8, 16, 17, 200]].tolist() == [1.0, 2.0, 5.0, 5.0, 5.0]


def test_polling_workers_need_no_wake_up_and_parked_ones_do():
    assert (host(workers_poll=1).polls, host(workers_poll=1).wakeup_ns) == (True, 0.0)
    assert (host(workers_poll=0).polls, host(workers_poll=0, worker_wakeup_ns=7_000).wakeup_ns) == (False, 7_000.0)


def test_without_a_middleware_nothing_is_handed_over():
    tables = host(direct=True, workers_poll=0)
    assert not tables.handoff_ns.any()
    assert (tables.polls, tables.wakeup_ns) == (False, 0.0)
    assert tables.client_wakeup_ns == resolve()["client_wakeup_ns"]


def test_without_time_slices_threads_share_the_cores_evenly():
    tables = host(cores=2, threads_per_core=1, timeslice_ns=0)
    assert tables.rate[[1, 2, 4, 64]].tolist() == [1.0, 1.0, 0.5, 2 / 64]
    assert not tables.preempted_ns.any()


@pytest.mark.parametrize("workers", [2, 4, 32])
def test_accesses_that_hold_a_processor_cost_as_much_of_it_as_computing(workers):
    """Two cores serve no more than two threads' worth of work and accesses together, however many workers there are."""
    load = ClassWorkload(clients=100, write_ratio=0.0, read_sizes_bytes=8192, write_sizes_bytes=8192)
    values = {"cores": 2, "threads_per_core": 1, "workers_poll": 0, "timeslice_ns": 0, "client_wakeup_ns": 0}
    values |= {"worker_wakeup_ns": 0, "handoff_contention_threads": 1e6, "kv_contention_threads": 1e6}

    def throughput(workers: int, holds: bool) -> float:
        twin = Middleware(
            Workload("reads", load, ClassWorkload(0, 0.0, 64, 64)),
            "dram-ddr4",
            window=WindowSpec(requests=4000),
            parameters=values | {"handoff_ns": 500, "access_holds_cpu": holds},
        )
        twin.start(workers, 1)
        twin.run_window()
        return twin.run_window().throughput_ops

    most = 2.0 * throughput(1, holds=True)
    assert throughput(workers, holds=True) == pytest.approx(most, rel=0.02)
    if workers > 2:
        assert throughput(workers, holds=False) > 1.15 * most


def test_contention_of_the_hand_off_grows_as_its_power_says_up_to_its_limit():
    free = host(handoff_ns=10_000, handoff_contention_threads=10, handoff_contention_power=3)
    assert free.handoff_ns[[0, 10, 20]] == pytest.approx([10_000, 20_000, 90_000])
    limited = host(
        handoff_ns=10_000, handoff_contention_threads=10, handoff_contention_power=3, handoff_contention_most=4
    )
    assert limited.handoff_ns[10] == pytest.approx(10_000 * (1.0 + 1.0 / 1.25))
    assert limited.handoff_ns[MAX_RUNNABLE] == pytest.approx(10_000 * 5.0, rel=1e-4)


def test_clients_load_the_hand_off_if_the_host_says_so():
    alone, among = (host(client_contention_clients=200, clients=clients).handoff_ns for clients in (0, 300))
    assert among == pytest.approx(2.5 * alone)
    assert host(clients=300).handoff_ns.tolist() == host().handoff_ns.tolist()


def test_larger_values_take_longer_to_hand_over_if_the_host_says_so():
    sizes = np.array([0.0, 50.0, 8192.0])
    assert handoff_factor(sizes, 0.0).tolist() == [1.0, 1.0, 1.0]
    assert handoff_factor(sizes, 8192.0).tolist() == [1.0, 1.0 + 50.0 / 8192.0, 2.0]


def test_values_that_are_larger_take_longer_to_hand_over_in_both_classes():
    small, large = ClassWorkload(4, 0.0, 64, 64), ClassWorkload(4, 0.0, 16_384, 16_384)

    def mean_us(load: ClassWorkload, **values: float) -> float:
        idle = ClassWorkload(0, 0.0, 64, 64)
        twin = Middleware(Workload("sizes", load, idle), window=WindowSpec(requests=500), parameters=values)
        twin.start(4, 1)
        return twin.run_window().mean_us

    assert mean_us(large, handoff_bytes=1_000) > mean_us(large) + 16 * 20
    assert mean_us(small, handoff_bytes=1_000) == pytest.approx(mean_us(small), rel=0.1)


def test_threads_that_wait_for_a_processor_slow_the_store_down_if_the_host_says_so():
    assert set(host(cores=4).crowding.tolist()) == {1.0}
    crowding = host(cores=4, threads_per_core=2, crowding_threads=10).crowding
    assert crowding[[0, 8, 13, 18, 28]].tolist() == [1.0, 1.0, 1.25, 2.0, 5.0]


def test_preempted_share_is_a_factor_on_how_many_wait():
    every, tenth, none = (host(preemption_share=share) for share in (1.0, 0.1, 0.0))
    assert tenth.preemption_ns == pytest.approx(10.0 * every.preemption_ns)
    assert tenth.preempted_ns.tolist() == every.preempted_ns.tolist()
    assert not none.preempted_ns.any()


def test_a_profile_without_counts_has_no_store_with_records():
    """Contention in the store goes with its accesses: both are the law's, or both are not."""
    bare = replace(load_profile(), access_profile=None)
    read = ClassWorkload(40, 0.2, 64, 64)

    def window(**values: float):
        twin = Middleware(Workload("bare", read, read), bare, window=WindowSpec(requests=500), parameters=values)
        twin.start(8, 8)
        return twin.run_window()

    assert window(records=1e8, kv_lock_growth=0.05) == window(records=0, kv_lock_growth=0.05) == window()
