"""Systems small enough to be computed by hand: what every client sees, request by request, on every engine."""

import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.sim import ClassWorkload, Workload
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.engines import exact_engine_names
from tests.sim.devices import ROUND, Shared, Unshared, ideal

OFF = ClassWorkload(0, 0.0, 64, 64)
ON_EACH_ENGINE = pytest.mark.parametrize("engine", exact_engine_names())


def latencies_ns(
    engine: str, load: ClassWorkload, profile: Profile, pools: tuple[int, int], windows: int = 1, **parameters: float
) -> list[float]:
    """Latencies of windows of 10 requests of an interactive class alone, rounded to 0.001 ns."""
    twin = Middleware(
        Workload("by hand", load, OFF), profile, engine, window=WindowSpec(requests=10), parameters=ROUND | parameters
    )
    twin.start(*pools)
    collected: list[float] = []
    for _ in range(windows):
        twin.run_window()
        collected += [round(value * 1e3, 3) for value in twin.latencies()[1].tolist()]
    return collected


def rounded(*values: float) -> list[float]:
    return [round(value, 3) for value in values]


# A get of 1,000 bytes on the unshared device, with one polling worker of each class:
HANDOFF = 10_000 * (1 + (2 / 64) ** 2)  # two threads on the queues
SOFTWARE = 1_050 * (1 + (1 / 64) ** 2)  # one operation in the store
DEVICE = 100 + 1_000  # one dependent read, 1,000 bytes at 1 ns
SERVICE = HANDOFF + SOFTWARE + DEVICE  # 12,160.022 ns
GET = {"write_ratio": 0.0, "read_sizes_bytes": 1_000, "write_sizes_bytes": 1}


@ON_EACH_ENGINE
def test_one_client_sees_the_service_time(engine):
    latencies = latencies_ns(engine, ClassWorkload(1, **GET), ideal(Unshared, 100.0), (1, 1))
    assert latencies == rounded(SERVICE) * 10
    assert latencies[0] == 12_160.022


@ON_EACH_ENGINE
def test_two_clients_of_one_worker_wait_for_each_other(engine):
    """A client that is back 5 us after its answer waits for what is left of the other's service."""
    latencies = latencies_ns(engine, ClassWorkload(2, **GET), ideal(Unshared, 100.0), (1, 1), client_wakeup_ns=5_000)
    assert latencies == rounded(SERVICE, 2 * SERVICE, *[2 * SERVICE - 5_000] * 8)


@ON_EACH_ENGINE
def test_two_slow_clients_of_one_worker_meet_only_once(engine):
    latencies = latencies_ns(engine, ClassWorkload(2, **GET), ideal(Unshared, 100.0), (1, 1), client_wakeup_ns=20_000)
    assert latencies == rounded(SERVICE, 2 * SERVICE, *[SERVICE] * 8)


@ON_EACH_ENGINE
def test_a_parked_worker_is_woken_when_idle_and_not_when_a_request_waits(engine):
    """Parked workers are no threads until they serve: the hand-off is among one thread, not two."""
    latencies = latencies_ns(
        engine, ClassWorkload(2, **GET), ideal(Unshared, 100.0), (1, 1),
        client_wakeup_ns=20_000, workers_poll=0, worker_wakeup_ns=5_000,
    )  # fmt: skip
    awake = 10_000 * (1 + (1 / 64) ** 2) + SOFTWARE + DEVICE
    woken = awake + 5_000
    assert latencies == rounded(woken, woken + awake, *[woken] * 8)


@ON_EACH_ENGINE
def test_a_trace_of_constant_gaps_under_a_worker_that_keeps_up(engine):
    load = ClassWorkload(5, rate_ops=50_000.0, interarrival_cov=0.0, **GET)
    assert latencies_ns(engine, load, ideal(Unshared, 100.0), (1, 1)) == rounded(SERVICE) * 10


@ON_EACH_ENGINE
def test_a_trace_of_constant_gaps_under_a_worker_that_does_not(engine):
    """The k-th request comes after k gaps of 5 us and leaves after k services."""
    load = ClassWorkload(20, rate_ops=200_000.0, interarrival_cov=0.0, **GET)
    latencies = latencies_ns(engine, load, ideal(Unshared, 100.0), (1, 1))
    assert latencies == rounded(*[k * SERVICE - (k - 1) * 5_000 for k in range(1, 11)])


@ON_EACH_ENGINE
def test_a_trace_goes_no_faster_than_its_clients(engine):
    """One client replays a trace of 5 us gaps: a request is submitted when the last one is answered and taken in."""
    load = ClassWorkload(1, rate_ops=200_000.0, interarrival_cov=0.0, **GET)
    assert latencies_ns(engine, load, ideal(Unshared, 100.0), (1, 1)) == rounded(SERVICE) * 10


@ON_EACH_ENGINE
def test_two_workers_share_the_device(engine):
    """100,000 bytes alone take 100 us, and 200 us beside another.

    The second request of a round has d ns more software, two operations in the store for one, and so d ns of the device
    to itself after the first has left. A round later the first client is d ns ahead already.
    """
    load = ClassWorkload(2, 0.0, 100_000, 1)
    latencies = latencies_ns(engine, load, ideal(Shared, 0.0), (2, 1), client_wakeup_ns=20_000)
    handoff = 10_000 * (1 + (3 / 64) ** 2)
    first, second = (handoff + 6_000 * (1 + (n / 64) ** 2) for n in (1, 2))
    d = second - first
    rounds = [(first + 200_000 - r * d, second + 200_000 - r * d) for r in range(1, 6)]
    assert latencies == pytest.approx([latency for each in rounds for latency in each], abs=1e-3)


@ON_EACH_ENGINE
def test_two_workers_share_nothing_on_an_unshared_device(engine):
    load = ClassWorkload(2, 0.0, 100_000, 1)
    latencies = latencies_ns(engine, load, ideal(Unshared, 0.0), (2, 1), client_wakeup_ns=20_000)
    handoff = 10_000 * (1 + (3 / 64) ** 2)
    first, second = (handoff + 6_000 * (1 + (n / 64) ** 2) + 100_000 for n in (1, 2))
    assert latencies == rounded(*[first, second] * 5)


@ON_EACH_ENGINE
def test_work_on_hyperthreads_is_slower_by_their_yield(engine):
    """One core with two hardware threads that yield 1.2 together: each polling or working thread runs at 0.6."""
    latencies = latencies_ns(
        engine, ClassWorkload(1, **GET), ideal(Unshared, 100.0), (1, 1), cores=1, threads_per_core=2, smt_yield=0.2
    )
    assert latencies == rounded((HANDOFF + SOFTWARE) / 0.6 + DEVICE) * 10


@ON_EACH_ENGINE
def test_one_hardware_thread_lets_one_operation_at_a_time_into_the_device(engine):
    """Two parked workers whose software is done 5 ns apart; the slice is so long that none is preempted."""
    load = ClassWorkload(2, 0.0, 100_000, 1)
    twin = Middleware(
        Workload("gate", load, OFF), ideal(Unshared, 0.0), engine, seed=1, window=WindowSpec(requests=10),
        parameters=ROUND | {"cores": 1, "threads_per_core": 1, "workers_poll": 0, "worker_wakeup_ns": 1_000,
                            "timeslice_ns": 24_000_000, "client_wakeup_ns": 100_000},
    )  # fmt: skip
    twin.start(2, 1)
    twin.run_window()
    latencies = twin.latencies()[1]
    assert latencies[1] - latencies[0] == pytest.approx(100.0, rel=1e-9)


@ON_EACH_ENGINE
def test_a_second_worker_takes_what_waits_as_soon_as_it_is_there(engine):
    """Four clients without pause: one worker answers them in turn; two halve that, but for contention."""
    load = ClassWorkload(4, **GET)
    twin = Middleware(
        Workload("grow", load, OFF), ideal(Unshared, 100.0), engine, window=WindowSpec(requests=12),
        parameters=ROUND | {"client_wakeup_ns": 0},
    )  # fmt: skip
    twin.start(1, 1)
    twin.run_window()
    alone = [round(value * 1e3, 3) for value in twin.latencies()[1]]
    assert alone == rounded(SERVICE, 2 * SERVICE, 3 * SERVICE, *[4 * SERVICE] * 9)
    twin.resize(2, 1)
    twin.run_window()
    pair = 10_000 * (1 + (3 / 64) ** 2) + 1_050 * (1 + (2 / 64) ** 2) + DEVICE
    assert [round(value * 1e3, 3) for value in twin.latencies()[1]][-4:] == rounded(2 * pair) * 4
    twin.resize(1, 1)
    twin.run_window()
    assert [round(value * 1e3, 3) for value in twin.latencies()[1]][-4:] == rounded(4 * SERVICE) * 4
