"""The trace of engine `simpy`: where requests spend their time adds up to their latency, and changes nothing."""

from functools import partial

import numpy as np
import pytest

from pmtwin import Middleware, WindowSpec
from pmtwin.scenarios.nvm_middleware.model.engines.traced import STATIONS, Trace, TracedEngine
from pmtwin.sim.load.workload import ClassWorkload, Workload
from tests.sim.systems import random_workload

READS = ClassWorkload(clients=4, write_ratio=0.0, read_sizes_bytes=64, write_sizes_bytes=64)
NOBODY = ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=64, write_sizes_bytes=64)
WRITES = ClassWorkload(clients=60, write_ratio=1.0, read_sizes_bytes=65536, write_sizes_bytes=65536)


def traced(workload, pools=(4, 4), windows=3, **about):
    """(trace, latencies in ns and classes of all windows)."""
    trace = Trace()
    twin = Middleware(workload, engine=partial(TracedEngine, trace=trace), window=WindowSpec(requests=400), **about)
    twin.start(*pools)
    trace.clear()
    latencies = []
    for _ in range(windows):
        twin.run_window()
        latencies.append(twin.latencies())
    return trace, *(np.concatenate(part) for part in zip(*latencies, strict=True))


def mean_us(trace) -> dict[str, float]:
    return dict(zip(STATIONS, trace.times_ns()[1].mean(axis=0) * 1e-3, strict=True))


@pytest.mark.parametrize("number", range(12))
def test_times_add_up_to_the_latencies_of_the_compiled_engine(number):
    rng = np.random.default_rng([31, number])
    workload, mode = random_workload(rng), "direct" if number % 4 == 0 else "middleware"
    few = {"cores": 3.0, "hot_write_share": 1.0, "timeslice_ns": 0.0 if number % 3 == 0 else 4e6}
    trace, classes, latency_us = traced(workload, mode=mode, seed=number, parameters=few)
    plain = Middleware(workload, window=WindowSpec(requests=400), mode=mode, seed=number, parameters=few)
    plain.start(4, 4)
    expected = []
    for _ in range(3):
        plain.run_window()
        expected.append(plain.latencies()[1])
    np.testing.assert_array_equal(latency_us, np.concatenate(expected))
    owners, times = trace.times_ns()
    np.testing.assert_array_equal(owners, classes)
    np.testing.assert_allclose(times.sum(axis=1) * 1e-3, latency_us, rtol=1e-9, atol=1e-6)
    assert times.min() > -1e-3


def test_one_reader_spends_its_time_as_the_parameters_say():
    alone = Workload("alone", interactive=ClassWorkload(1, 0.0, 64, 64), batch=NOBODY)
    parameters = {"cpu_noise_sigma": 0.0, "get_software_ns": 500.0, "get_copy_ns_per_byte": 0.05, "smt_yield": 0.0}
    trace, *_ = traced(alone, pools=(1, 1), parameters=parameters | {"handoff_contention_threads": 1e6})
    spent = mean_us(trace)
    assert spent["hand-off"] == pytest.approx(22.0)
    assert spent["store"] == pytest.approx(0.5 + 64 * 0.05e-3, rel=0.05)  # with the contention of one operation
    assert spent["queue"] == spent["gate"] == spent["stall"] == spent["device write"] == 0.0
    assert spent["host"] == pytest.approx(0.0, abs=1e-6)
    assert 0.2 < spent["device read"] < 3.0


def test_a_larger_value_is_hand_off_and_a_crowd_is_store():
    """3 polling workers on one hardware thread leave 2 waiting: crowding_threads 2 doubles the store's software."""
    alone = Workload("alone", interactive=ClassWorkload(1, 0.0, 8192, 64), batch=NOBODY)
    host = {"cores": 1.0, "threads_per_core": 1.0, "cpu_noise_sigma": 0.0, "timeslice_ns": 0.0}
    plain = mean_us(traced(alone, pools=(2, 1), parameters=host)[0])
    loaded = host | {"crowding_threads": 2.0, "handoff_bytes": 4096.0}
    spent = mean_us(traced(alone, pools=(2, 1), parameters=loaded)[0])
    assert spent["hand-off"] == pytest.approx(3.0 * plain["hand-off"])
    assert spent["store"] == pytest.approx(2.0 * plain["store"])


def test_what_threads_wait_for_is_the_host():
    few = {"cores": 1.0, "threads_per_core": 1.0, "timeslice_ns": 0.0}
    spent = mean_us(traced(Workload("readers", READS, NOBODY), pools=(4, 1), parameters=few)[0])
    assert spent["host"] == pytest.approx(4.0 * (spent["hand-off"] + spent["store"]), rel=0.1)  # five threads, one core


def test_big_writes_to_one_module_keep_its_media_busy():
    workload = Workload("writers", interactive=NOBODY, batch=WRITES)
    trace, *_ = traced(workload, pools=(1, 16), parameters={"dimms": 1.0, "handoff_ns": 8000.0})
    spent, levels = mean_us(trace), trace.levels()
    assert levels.media > 0.9 and levels.streams > 5.0 and levels.batch_workers > 0.99
    assert spent["device write"] > spent["hand-off"] + spent["store"]
    assert levels.workers == 0.0


def test_time_stands_still_after_clear():
    trace, *_ = traced(Workload("readers", READS, NOBODY))
    trace.clear()
    assert trace.duration_ns == 0.0 and trace.times_ns()[1].shape == (0, len(STATIONS))
