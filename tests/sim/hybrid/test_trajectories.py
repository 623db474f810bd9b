"""Short runs whose times are known by hand."""

import numpy as np
import pytest

from pmtwin.policies import Migration
from pmtwin.policies.tiering.write_lru import WriteLru
from pmtwin.sim.hybrid.devices import DEVICES
from pmtwin.sim.hybrid.options import HybridOptions
from pmtwin.sim.hybrid.running import start_run
from pmtwin.sim.hybrid.stream import PAGE_BYTES, make_stream, paged
from tests.sim.hybrid.storages import SleepyDevices, deciders

H, M, L = DEVICES["H"], DEVICES["M"], DEVICES["L"]
PAGE = PAGE_BYTES
ENGINES = ("compiled", "simpy")


class AlwaysFirst(WriteLru):
    """Writes to the first device; remembers the last reward."""

    @staticmethod
    def observe(arrays, features, action, reward):
        arrays[0][0] = reward


class AllPages(Migration):
    """Moves all pages to the first device, before every second request."""

    every = 2

    def arrays(self, point, key):
        return (np.zeros(1),)

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        return -1

    @staticmethod
    def plan(arrays, device_of, free, setting, moves):
        for page in range(device_of.size):
            moves[page] = page * free.size


class Named(Migration):
    """Names each page once, after its first request, to move to the first device."""

    def arrays(self, point, key):
        return np.zeros(point.storage.pages, np.int64), np.full(1, -1)

    @staticmethod
    def used(arrays, page, pages, write, device_of):
        arrays[0][page] += 1
        arrays[1][0] = page if arrays[0][page] == 1 else -1

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        page, arrays[1][0] = arrays[1][0], -1
        return page * free.size if page >= 0 else -1


def latencies(stream, engine, place="write-lru", migrate="stay", count=None, kind=HybridOptions, **options):
    """Latencies of the first requests, in ns."""
    pages = paged(stream)
    options = kind(**{"fast": 50.0, "decision_ns": 0.0} | options)
    count = count or len(stream.size)
    run = start_run(options, pages, deciders(options, pages, place, migrate), engine, count, 0)
    run.advance(count)
    return run.last()[0], run


@pytest.mark.parametrize("engine", ENGINES)
def test_unwritten_pages_are_read_from_the_last_device_and_written_ones_from_the_first(engine):
    stream = make_stream(1e6, [0, 0, 0, 9 * PAGE], PAGE, [False, True, False, False])
    latency, _ = latencies(stream, engine)
    expected = [M.alone_ns(False, PAGE), H.alone_ns(True, PAGE), H.alone_ns(False, PAGE), M.alone_ns(False, PAGE)]
    assert latency == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_on_two_devices_follow_one_another_and_adjacent_pages_are_one_access(engine):
    stream = make_stream(1e6, [0, 0], [2 * PAGE, 4 * PAGE], [True, False])
    latency, _ = latencies(stream, engine)
    assert latency[1] == pytest.approx(H.alone_ns(False, 2 * PAGE) + M.alone_ns(False, 2 * PAGE), abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_device_evicts_its_oldest_page_on_the_path(engine):
    stream = make_stream(1e6, [0, PAGE, 0, 2 * PAGE, PAGE], PAGE, [True, True, False, True, False])
    latency, run = latencies(stream, engine, fast=70.0)  # 2 pages of 3
    evicting = H.alone_ns(False, PAGE) + M.alone_ns(True, PAGE) + H.alone_ns(True, PAGE)
    assert latency[3] == pytest.approx(evicting, abs=1e-6)
    assert run.device_of().tolist() == [0, 1, 0]
    assert latency[4] == pytest.approx(M.alone_ns(False, PAGE), abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_write_of_a_part_of_a_page_to_another_device_reads_the_rest_first(engine):
    stream = make_stream(1e6, [512, 512, PAGE], [PAGE - 512, 1024, PAGE], [True, True, False])
    latency, _ = latencies(stream, engine, layout="home")
    assert latency[0] == pytest.approx(M.alone_ns(False, 512) + H.alone_ns(True, PAGE), abs=1e-6)
    assert latency[1] == pytest.approx(H.alone_ns(True, 1024), abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("writes", "cached"), [("cached", True), ("sync", False)])
def test_a_disk_seeks_unless_an_access_follows_the_last_one(engine, writes, cached):
    stream = make_stream(1e6, [0, PAGE, 4 * PAGE, 0], PAGE, [False, False, False, True])
    latency, _ = latencies(stream, engine, "slow-only", devices="cost", hdd_writes=writes, layout="home")
    reads = [L.alone_ns(False, PAGE), L.alone_ns(False, PAGE, True), L.alone_ns(False, PAGE)]
    assert latency == pytest.approx([*reads, L.alone_ns(True, PAGE, cached=cached)], abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_device_that_requests_left_alone_takes_longer(engine):
    stream = make_stream([3e5, 0, 9e5, 0], [0, 0, 0, 9 * PAGE], PAGE, [False, False, True, False])
    latency, _ = latencies(stream, engine, kind=SleepyDevices)
    read, write = M.alone_ns(False, PAGE), H.alone_ns(True, PAGE)
    fast_ns = 3e5 + (read + 20e3) + read + 9e5  # without requests at the first device
    fast_wake = 90e3 * fast_ns / (fast_ns + 3e5)
    slow_ns = 9e5 + write + fast_wake
    expected = [read + 20e3, read, write + fast_wake, read + 40e3 * slow_ns / (slow_ns + 3e5)]
    assert latency == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_in_an_open_system_requests_queue_for_servers_and_link(engine):
    stream = make_stream([1e6, 0, 0], [0, 8 * PAGE, 16 * PAGE], PAGE, True)
    latency, _ = latencies(stream, engine, "slow-only", arrivals="open")
    first, transfer = M.alone_ns(True, PAGE), M.transfer_ns(True, PAGE)
    # two servers for writes: the third request waits for the first latency to end
    assert latency == pytest.approx([first, first + transfer, first + M.latency_ns(True)], abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_idle_devices_move_pages_behind_requests(engine):
    stream = make_stream(5e6, np.arange(6) * PAGE, PAGE, True)
    latency, run = latencies(stream, engine, "lru-clean", "lru-clean:50", fast=70.0)  # 4 pages of 6
    assert latency == pytest.approx([H.alone_ns(True, PAGE)] * 6, abs=1e-6)
    assert run.reading().counts["moves"] == 3 and run.reading().counts["evictions"] == 0
    assert run.device_of().tolist() == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_busy_device_moves_nothing_but_pages_that_a_request_reads(engine):
    stream = make_stream(0, [0, PAGE, 0, PAGE], PAGE, False)
    _, run = latencies(stream, engine, "write-lru", "thresholds", idle_measure="time", count=40)
    assert run.reading().counts["moves"] == 0
    run.set_knobs((0, 2))
    run.advance(80)
    assert run.reading().counts["promotions"] == 1  # the first device holds one page
    assert run.reading().read[1] == sum([PAGE] * 80) - run.reading().read[0]  # no page was read for a move


def test_all_pages_on_the_first_device_take_its_times():
    stream = make_stream(1e3, np.arange(4) * PAGE, PAGE, [True, False, True, False])
    run = start_run(HybridOptions(), paged(stream._replace()), None, "compiled", 4, 0)
    run.advance(4)
    assert run.last()[0] == pytest.approx([H.alone_ns(True, PAGE), H.alone_ns(False, PAGE)] * 2, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_read_promotes_whole_pages_and_waits_for_their_write(engine):
    stream = make_stream(1e6, [512, 0, PAGE], [PAGE, 2 * PAGE, PAGE], False)
    latency, run = latencies(stream, engine, reads="promote", fast=100.0)
    reading, promoting = M.alone_ns(False, 2 * PAGE), H.alone_ns(True, 2 * PAGE)
    assert latency == pytest.approx(
        [reading + promoting, H.alone_ns(False, 2 * PAGE), H.alone_ns(False, PAGE)], abs=1e-6
    )
    assert run.device_of().tolist() == [0, 0] and run.reading().counts["promoted"] == 2
    assert run.reading().counts["asked_bytes"] == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_device_that_refuses_gets_no_write_but_of_pages_that_it_has(engine):
    stream = make_stream(1e6, [0, PAGE, 2 * PAGE, 0], PAGE, True)
    latency, run = latencies(stream, engine, fast=70.0, full_device="refuse")  # 2 pages of 3
    fast, slow = H.alone_ns(True, PAGE), M.alone_ns(True, PAGE)
    assert latency == pytest.approx([fast, fast, slow, fast], abs=1e-6)
    assert run.reading().counts["evictions"] == 0


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("told", "is_whole"), [("whole", True), ("without-evictions", False)])
def test_policies_learn_from_latencies_with_or_without_evictions(engine, told, is_whole):
    stream = make_stream(1e6, [0, PAGE, 2 * PAGE + 512], [PAGE, PAGE, PAGE - 512], True)
    pages, options = paged(stream), HybridOptions(fast=70.0, decision_ns=0.0, reward_latency=told)
    policies = deciders(options, pages, AlwaysFirst(), "stay")
    run = start_run(options, pages, policies, engine, 3, 0)
    run.advance(3)
    evicting = H.alone_ns(False, PAGE) + M.alone_ns(True, PAGE)
    rest, write = M.alone_ns(False, 512), H.alone_ns(True, PAGE)
    assert run.last()[0][2] == pytest.approx(rest + evicting + write, abs=1e-6)
    assert 1e6 / policies.place.arrays[0][0] == pytest.approx(rest + evicting * is_whole + write, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_pages_that_move_on_the_path_delay_the_next_request(engine):
    stream = make_stream(1e6, [0, PAGE, 0, PAGE, 2 * PAGE], PAGE, False)
    pages, options = paged(stream), HybridOptions(fast=70.0, decision_ns=0.0)  # 2 pages of 3
    run = start_run(options, pages, deciders(options, pages, "write-lru", AllPages()), engine, 5, 0)
    run.advance(5)
    slow, fast = M.alone_ns(False, PAGE), H.alone_ns(False, PAGE)
    moving = M.alone_ns(False, 2 * PAGE) + H.alone_ns(True, 2 * PAGE)
    assert run.last()[0] == pytest.approx([slow, slow, moving + fast, fast, slow], abs=1e-6)
    assert run.reading().counts["moves"] == 2 and run.reading().counts["dropped"] == 2  # of pages without room


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("measure", "moves"), [("time", False), ("bandwidth", True)])
def test_a_disk_that_seeks_all_the_time_is_idle_by_its_bandwidth(engine, measure, moves):
    stream = make_stream(0, np.arange(40) * 7 % 40 * PAGE, PAGE, False)  # no page is read again while it waits
    _, run = latencies(stream, engine, "write-lru", Named(), devices="cost", fast=100.0, idle_measure=measure)
    assert (run.reading().counts["moves"] > 0) == moves


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("full", "moved"), [("drop-newest", 0), ("drop-oldest", 2)])
def test_a_full_queue_drops_the_newest_page_or_the_oldest(engine, full, moved):
    stream = make_stream([1e3, 1e3, 1e3, 5e6], [0, PAGE, 2 * PAGE, PAGE], PAGE, [True, True, True, False])
    _, run = latencies(stream, engine, "slow-only", Named(), fast=100.0, queue=1, full_queue=full, count=4)
    assert run.device_of().tolist() == [int(page != moved) for page in range(3)]
