"""The whole system window by window: nothing is lost at their ends, and both engines show the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.policies.replacement import make_cache, replay
from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.operation import Operation, Requests
from pmtwin.scenarios.two_tier.storage.options import OF_TRACE, StorageOptions
from pmtwin.scenarios.two_tier.storage.records import CACHED, COMING, READING, places
from pmtwin.scenarios.two_tier.storage.system import System
from tests.scenarios.two_tier.test_storage_conservation import ABLE, random_system

WINDOWS = 12


def check(operation: Operation, system: System) -> None:
    """The laws at the end of a window."""
    storage, shown = operation.storage, operation.measures()
    tally, state = storage.tally[0], storage.page["state"]
    assert tally["reads"] + tally["prefetches"] == tally["evictions"] + sum(places(storage).values())
    assert tally["arrivals"] == tally["requests"] + np.sum(storage.client["step"] != COMING)
    lines = np.bincount(storage.page["owner"], np.isin(state, (CACHED, READING)), system.processes)
    assert lines.max() <= storage.setting["lines"][0]
    held = np.bincount(storage.page["owner"], storage.holders > 0, system.processes)
    assert (storage.process["pinned"] <= held).all()
    assert 0.0 <= shown["disk_utilisation"] <= 1.0 + 1e-9 and 0.0 <= shown["io_utilisation"] <= 1.0 + 1e-9
    assert shown["miss_ratio"] >= 0.0 and 0.0 <= shown["idle_threads"] <= operation.threads
    assert (operation.latency_ms() > 0.0).all()
    assert shown["mean_response_ms"] <= operation.latency_ms().max() >= shown["p99_ms"]


@pytest.fixture
def trace_file(tmp_path):
    rng = np.random.default_rng(7)
    offsets = 4096 * np.minimum(rng.zipf(1.3, 700), 60)
    path = tmp_path / "trace.csv"
    path.write_text("offset,size\n" + "".join(f"{offset},{rng.integers(1, 9000)}\n" for offset in offsets))
    return path


@pytest.mark.parametrize("replacement", ABLE)
@pytest.mark.parametrize("number", range(3))
def test_windows_obey_the_laws_and_both_engines_agree(number, replacement, trace_file):
    """Threads, rates, skew and drift change at the ends of windows, while requests have threads and wait for them."""
    rng = np.random.default_rng([60, number])
    system = random_system(rng, replacement)
    options, kind = system.storage, ("zipf", "trace", "as drawn")[number]
    if kind == "zipf":
        options = replace(options, pattern="uniform", skew=1.1, drift=3)
    elif kind == "trace":
        of_trace = {name: getattr(StorageOptions, name) for name in OF_TRACE}  # the trace says what is asked for
        options = replace(options, **of_trace, requests_from=trace_file, page_bytes=4096, request_bytes=512)
    system = system._replace(storage=options)
    runs = [Operation(system, number, engine, 30 + 7 * number) for engine in ("compiled", "simpy")]
    for _ in range(WINDOWS):
        for operation in runs:
            operation.run_window()
            check(operation, system)
        compiled, simpy = runs
        assert compiled.measures() == simpy.measures()
        assert (compiled.latency_ms() == simpy.latency_ms()).all()
        assert compiled.waiting() == simpy.waiting()
        threads = int(rng.integers(1, 7))
        requests = Requests(float(rng.choice([20.0, 300.0])), float(rng.choice([0.0, 0.7, 1.4])), int(rng.integers(9)))
        for operation in runs:
            operation.set_threads(threads)
            operation.set_requests(requests)


FAST = Costs(io_ms=2.0, disk_load=0.0, contention=0.2, write_back=0.3, access_ms=1.0, access_ms_per_kib=0.0)
SMALL = StorageOptions(pages=400, cache_lines=20, client_threads=4, skew=0.9, operation="read-modify-write")


def operation(seed: int = 0, threads: int = 2, window: int = 200, processes: int = 2, **options) -> Operation:
    return Operation(System(replace(SMALL, **options), FAST, processes, threads, 0), seed, "compiled", window)


def shown(run: Operation, windows: int = 6) -> list[dict]:
    measures = []
    for _ in range(windows):
        run.run_window()
        measures.append(run.measures())
    return measures


def test_the_same_seed_gives_the_same_bits_and_another_one_other_requests():
    assert shown(operation(3)) == shown(operation(3)) != shown(operation(4))


def test_windows_of_another_length_are_the_same_run():
    long, short = operation(window=600), operation(window=200)
    long.run_window()
    latencies = []
    for _ in range(3):
        short.run_window()
        latencies.append(short.latency_ms().copy())
    assert (np.concatenate(latencies) == long.latency_ms()).all()


def test_as_many_threads_as_before_change_nothing():
    """Also where requests have threads and others wait: all are given out anew, and none differently."""
    plain, again = operation(threads=1, client_rate=1000.0), operation(threads=1, client_rate=1000.0)
    for _ in range(6):
        plain.run_window()
        again.run_window()
        assert again.waiting()[0] > 0 or again.measures()["thread_wait_ms"] > 0.0
        again._run.set_threads(1)
        assert plain.measures() == again.measures()


def test_clients_are_present_or_pause():
    """Interactive response time law: C clients = X (R + Z), over many windows."""
    run = operation(window=2_000, client_rate=200.0)
    responses = [each["mean_response_ms"] for each in shown(run, 10)]
    rate = 20_000 / run.storage.tally["now_s"][0]
    assert rate * (1e-3 * np.mean(responses) + 1 / 200.0) == pytest.approx(8.0, rel=0.01)


def test_more_threads_serve_what_waits_for_one():
    one, many = (shown(operation(threads=count, client_rate=1000.0, cache_lines=400), 12)[-1] for count in (1, 8))
    assert one["thread_wait_ms"] > 2.0 > 0.5 > many["thread_wait_ms"]
    assert one["mean_response_ms"] > many["mean_response_ms"]
    assert one["idle_threads"] < 0.2 and many["idle_threads"] > 5.0


@pytest.mark.parametrize("replacement", ["lru", "arc", "ws", "hedge"])
def test_one_client_misses_what_a_replay_of_the_same_pages_misses(trace_file, replacement):
    """One client, one process, and no writer: every request is over before the next one comes."""
    from pmtwin.scenarios.two_tier.storage.trace_pages import read_trace

    system = System(
        StorageOptions(requests_from=trace_file, page_bytes=4096, request_bytes=1, cache_lines=12, client_threads=1),
        FAST, 1, 1, 0,
    )  # fmt: skip
    pages = read_trace(trace_file, 4096).requests
    run = Operation(system, 0, "compiled", len(pages), lambda lines, seed: make_cache(replacement, lines, 5))
    run.run_window()
    misses = replay(make_cache(replacement, 12, 5), pages.astype(np.int64))
    assert run.measures()["miss_ratio"] == pytest.approx(misses / len(pages), abs=1e-12)


def test_a_trace_starts_again_at_its_end(trace_file):
    options = StorageOptions(requests_from=trace_file, page_bytes=4096, request_bytes=1, cache_lines=400)
    run = Operation(System(replace(options, client_threads=4), FAST, 2, 2, 0), 0, "compiled", 3_000)
    first, second = shown(run, 2)
    assert first["miss_ratio"] > 0.0 == second["miss_ratio"]
