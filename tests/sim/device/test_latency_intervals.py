"""Intervals of times, and that no interval promises more outside the data than at their edge."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import OPERATIONS, load_profile
from pmtwin.sim.device.law import PATTERNS
from pmtwin.sim.device.prediction import predict

TIMES = ("latency", "read_latency", "write_latency", "time_per_access")


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def points(operation: str, pattern: str, threads: list[float], dimms: float = 6.0, **more) -> dict[str, np.ndarray]:
    same = {"operation": operation, "pattern": pattern, "access_size_bytes": 4096.0, "dimms": dimms, "power_w": 15.0}
    same |= {"threads": threads} | more
    return {name: np.broadcast_to(value, len(threads)) for name, value in same.items()}


def mix(readers: list[float], writers: list[float], **more) -> dict[str, np.ndarray]:
    threads = [r + w for r, w in zip(readers, writers, strict=True)]
    sides = {"read_threads": readers, "write_threads": writers, "write_operation": "ntstore"}
    return points("mixed", "sequential", threads, **sides, **more)


def interval(result: dict, name: str) -> np.ndarray:
    """Low end, value and high end, shape (3, n)."""
    return np.array([result[f"{name}_low_ns"], result[f"{name}_ns"], result[f"{name}_high_ns"]])


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_time_per_access_has_the_interval_of_the_bandwidth(profile, operation, pattern):
    result = predict(profile, points(operation, pattern, [1, 8, 24]))
    low, value, high = interval(result, "time_per_access")
    assert high / value == pytest.approx(result["bandwidth_mib_s"] / result["bandwidth_low_mib_s"])
    assert low / value == pytest.approx(result["bandwidth_mib_s"] / result["bandwidth_high_mib_s"])


def test_a_single_load_is_no_more_certain_than_its_stated_error(profile):
    stated = profile.intervals["latency"]["load"]["sequential"]
    result = predict(profile, points("load", "sequential", [1], access_size_bytes=64.0))
    low, value, high = interval(result, "latency")[:, 0]
    assert value == profile.idle_latency_ns["load", "sequential"] or value > 0
    assert high / value >= np.exp(stated) - 1e-9 and low < value


def test_a_latency_that_nothing_was_held_against_has_no_interval_unless_the_queue_tells_it(profile):
    result = predict(profile, points("load", "random", [1, 200], dimms=1.0))
    for end in ("low", "high"):
        assert np.isnan(result[f"latency_{end}_ns"][0])
        assert result[f"latency_{end}_ns"][1] == result[f"time_per_access_{end}_ns"][1]
    intervals = {**profile.intervals, "latency": {"load": {"random": 0.2}}}
    low, value, high = interval(
        predict(replace(profile, intervals=intervals), points("load", "random", [1])), "latency"
    )
    assert low < value * np.exp(-0.05) and value < high


def test_a_profile_that_states_no_error_of_latency_gives_no_interval_of_it(profile):
    bare = {name: part for name, part in profile.intervals.items() if name != "latency"}
    result = predict(replace(profile, intervals=bare), points("load", "sequential", [1], access_size_bytes=64.0))
    assert np.isnan(result["latency_low_ns"][0]) and np.isfinite(result["time_per_access_low_ns"][0])


@pytest.mark.parametrize("offered", [500.0, 4000.0, 30_000.0])
def test_the_interval_of_a_limited_load_holds_its_times(profile, offered):
    result = predict(profile, points("load", "sequential", [1, 4, 16], offered_mib_s=offered))
    for name in ("latency", "read_latency", "time_per_access"):
        low, value, high = interval(result, name)
        assert np.all((low <= value) & (value <= high) & (low < high))


@pytest.mark.parametrize("offered", [np.inf, 500.0, 8000.0])
def test_the_interval_of_a_mix_holds_its_times(profile, offered):
    result = predict(profile, mix([1, 4, 8], [1, 2, 8], offered_mib_s=offered))
    for name in ("read_latency", "time_per_access"):
        low, value, high = interval(result, name)
        assert np.all((low <= value) & (value <= high) & (low < high))


def test_what_is_not_identified_has_no_interval_of_any_time(profile):
    result = predict(profile, points("store", "random", [4], remote=True))
    assert result["not_identified"][0]
    assert all(np.isnan(result[f"{name}_{end}_ns"][0]) for name in TIMES for end in ("low", "high"))


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dimms", [1.0, 6.0])
def test_no_interval_is_narrower_outside_than_at_the_edge(profile, operation, dimms):
    boxes = profile.fitted_range[operation]
    most = max(box["threads"][1] for box in boxes if (box["pattern"], box["dimms"]) == ("random", dimms))
    result = predict(profile, points(operation, "random", [most, 1.01 * most, 1.5 * most, 4 * most], dimms))
    widths = np.log(result["bandwidth_high_mib_s"] / result["bandwidth_low_mib_s"])
    assert np.all(np.diff(widths) >= -1e-9) and widths[-1] > widths[0]
    assert result["extrapolated"].tolist() == [False, True, True, True]


def test_where_nothing_tells_how_errors_grow_there_is_no_interval_outside():
    profile = load_profile("dram-ddr4")
    size, (_, most) = (profile.fitted_range["load"][0][name] for name in ("access_size_bytes", "threads"))
    result = predict(profile, points("load", "random", [most, 8 * most], access_size_bytes=size[0]))
    assert np.isfinite(result["bandwidth_low_mib_s"][0]) and np.isnan(result["bandwidth_low_mib_s"][1])
    assert np.isfinite(result["bandwidth_mib_s"][1]) and np.isnan(result["time_per_access_high_ns"][1])
