"""Small systems whose times and counts can be computed by hand."""

import pytest

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.system import System

INSTANT = {"io_ms": 10.0, "disk_load": 0.0, "contention": 0.0, "write_back": 0.0, "access_ms": 0.0,
           "access_ms_per_kib": 0.0, "disk_ms": 1e-6, "rpc_us": 0.0}  # fmt: skip


def times(requests: int, processes: int = 1, costs: dict | None = None, threads: int = 1, **options):
    options = {"client_threads": 1, "client_rate": 1000.0, "pattern": "sequential", "mapping": "block"} | options
    return simulate_system(
        System(StorageOptions(**options), Costs(**INSTANT | (costs or {})), processes, threads, requests), seed=3
    )


def test_a_page_is_read_once():
    shown = times(requests=12, pages=3)  # pages 0 0 0 0 1 1 1 1 2 2 2 2
    assert (shown.counts["reads"], shown.counts["hits"], shown.counts["waits"]) == (3, 9, 0)
    assert shown.disk_s == pytest.approx(0.030, rel=1e-4)
    assert 0.041 <= shown.response_s <= 0.0421  # three reads, eleven gaps, a start within the first gap
    assert shown.mean_response_ms == pytest.approx(2.5, rel=1e-4)  # 3 x 10 ms over 12 requests


def test_a_client_waits_for_its_own_miss_and_others_for_the_same_read():
    shown = times(requests=4, pages=1, client_threads=4)
    assert (shown.counts["reads"], shown.counts["waits"], shown.counts["hits"]) == (1, 3, 0)


def test_a_dirty_victim_is_written_before_the_page_that_takes_its_line_is_read():
    shown = times(requests=3, pages=3, cache_lines=1, operation="read-modify-write")
    assert (shown.counts["reads"], shown.counts["writes"]) == (3, 2)
    assert (shown.counts["evictions"], shown.counts["dirty_evictions"]) == (2, 2)
    assert shown.disk_s == pytest.approx(0.050, rel=1e-4)
    clean = times(requests=3, pages=3, cache_lines=1)
    assert (clean.counts["writes"], clean.counts["evictions"], clean.counts["dirty_evictions"]) == (0, 2, 0)


def test_idle_io_threads_write_a_dirty_page_once_and_no_request_waits_for_it():
    options = {"requests": 400, "pages": 2, "operation": "read-modify-write"}
    plain, written = times(**options), times(costs={"write_back": 1.0}, **options)
    assert plain.counts["writes"] == 0 and written.counts["writes"] == 2
    assert written.response_s == pytest.approx(plain.response_s, rel=1e-6)
    assert written.disk_s == pytest.approx(plain.disk_s + 0.020, rel=1e-4)


def test_a_page_that_was_written_back_is_written_again_only_if_it_has_changed():
    options = {"pages": 3, "cache_lines": 1, "operation": "read-modify-write", "client_rate": 20.0}
    once = times(requests=3, costs={"write_back": 1.0}, **options)  # each page is written while its client pauses
    assert (once.counts["evictions"], once.counts["dirty_evictions"], once.counts["writes"]) == (2, 0, 3)
    twice = times(requests=6, costs={"write_back": 1.0}, **options)  # and written to once more before it goes
    assert (twice.counts["evictions"], twice.counts["dirty_evictions"], twice.counts["writes"]) == (2, 2, 5)


def test_the_seed_decides_which_pages_leave_at_random():
    options = StorageOptions(pages=60, cache_lines=9, replacement="random", pattern="sequential", client_threads=4)
    hits = {simulate_system(System(options, Costs(**INSTANT), 1, 1, 4_000), seed).counts["hits"] for seed in range(4)}
    assert len(hits) > 1


def test_a_stream_is_known_by_its_second_equal_stride_and_prefetched_pages_are_promoted():
    shown = times(requests=8, pages=8, prefetch_lines=2, client_rate=20.0)  # a prefetch is there before it is asked for
    # pages 0, 1 and 2 miss; then two are prefetched, and each promotion lets the next two follow
    assert shown.counts["reads"] == 3
    assert (shown.counts["prefetches"], shown.counts["prefetch_hits"], shown.counts["hits"]) == (5, 5, 0)
    without = times(requests=8, pages=8, client_rate=20.0)
    assert shown.mean_response_ms == pytest.approx(30.0 / 8, rel=1e-4)
    assert without.mean_response_ms == pytest.approx(10.0, rel=1e-4)


def test_a_stream_ends_with_the_pages():
    shown = times(requests=4, pages=100, prefetch_lines=2, client_rate=20.0)  # pages 0, 25, 50, 75
    assert shown.counts["prefetches"] == 1  # page 75, behind 50; page 100 does not exist
    assert shown.counts["prefetch_hits"] == 1


def test_a_page_that_was_read_ahead_waits_in_the_buffer_until_its_line_is_written():
    shown = times(requests=8, pages=8, cache_lines=1, prefetch_lines=1, client_rate=20.0, operation="read-modify-write")
    assert (shown.counts["reads"], shown.counts["prefetches"], shown.counts["dirty_evictions"]) == (3, 5, 7)
    assert shown.mean_response_ms == pytest.approx((10.0 + 2 * 20.0 + 5 * 10.0) / 8, rel=1e-4)


def test_a_page_that_is_read_keeps_its_line_and_others_wait_in_order():
    shown = times(requests=4, pages=4, cache_lines=1, client_threads=4)
    assert (shown.counts["reads"], shown.counts["evictions"], shown.counts["resident"]) == (4, 3, 1)
    assert (shown.counts["line_waits"], shown.counts["waits"]) == (3, 0)
    assert shown.response_s == pytest.approx(0.040, abs=0.001)  # the first request comes within a gap
    assert shown.mean_response_ms == pytest.approx(25.0, abs=1.0)


def test_a_page_that_is_accessed_keeps_its_line():
    options = {"requests": 4, "pages": 4, "client_threads": 4, "threads": 4, "costs": {"access_ms": 20.0}}
    alone, shown = times(**options), times(cache_lines=1, **options)
    accesses_ms = 4 * alone.mean_response_ms - (10.0 + 20.0 + 30.0 + 40.0)  # each waits for the reads before its own
    assert accesses_ms > 20.0
    assert shown.response_s == pytest.approx(0.040 + 1e-3 * accesses_ms, abs=0.005)


def test_a_page_that_is_written_back_keeps_its_line():
    shown = times(requests=3, pages=3, cache_lines=1, operation="read-modify-write", costs={"write_back": 1.0})
    assert (shown.counts["line_waits"], shown.counts["dirty_evictions"], shown.counts["writes"]) == (2, 0, 3)
    assert shown.mean_response_ms == pytest.approx((10.0 + 2 * 19.0) / 3, rel=1e-4)  # 9 ms of the write are left


def test_requests_for_a_page_that_waits_for_a_line_share_its_read():
    options = {"pages": 2, "cache_lines": 1, "client_threads": 8, "pattern": "sequential", "requests": 8}
    shown = times(**options)  # clients 0 to 3 ask for page 0, the others for page 1
    assert shown.counts["reads"] == 2
    assert shown.counts["waits"] + shown.counts["line_waits"] == 6 + 1


def test_messages_between_processes_cost_twice_the_logp_cost():
    shown = times(requests=16, processes=2, pages=2, mapping="round-robin", costs={"rpc_us": 1000.0, "io_ms": 0.0})
    assert shown.counts["remote"] == 0  # client 0 walks through page 0, client 1 through page 1
    far = times(
        requests=16, processes=2, pages=2, mapping="block-cyclic", block_pages=2,
        costs={"rpc_us": 1000.0, "io_ms": 0.0},
    )  # fmt: skip
    assert far.counts["remote"] == 8  # both pages are process 0's
    assert far.mean_response_ms == pytest.approx(1.0, rel=1e-3)  # 8 of 16 requests take 2 ms


def test_local_clients_send_no_messages():
    assert times(requests=64, processes=4, pages=16, locality="local").counts["remote"] == 0


def test_the_same_seed_gives_the_same_bits():
    system = System(StorageOptions(pages=500), Costs(**INSTANT | {"access_ms": 2.0, "disk_ms": 3.0}), 4, 4, 20_000)
    assert simulate_system(system, 5) == simulate_system(system, 5)
    assert simulate_system(system, 5) != simulate_system(system, 6)
