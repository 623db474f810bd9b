"""Limited loads: threads that pause reach what they offer, contend less, and wait less for each other."""

import numpy as np
import pytest

from pmtwin.sim.device import load_profile, prediction
from pmtwin.sim.device.offered import busy_threads, time_per_access_ns


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def predict(profile, offered, operation="ntstore", pattern="sequential", threads=15, size=64, **more):
    n = len(offered)
    columns = {"operation": operation, "pattern": pattern, "threads": float(threads), "access_size_bytes": float(size)}
    columns |= {"dimms": 6.0, "power_w": 15.0} | more
    columns = {name: np.full(n, value) for name, value in columns.items()}
    return prediction.predict(profile, columns | {"offered_mib_s": np.array(offered, dtype=float)})


def test_what_is_offered_is_reached_until_the_device_is_full(profile):
    result = predict(profile, [100.0, 1000.0, 9000.0, 1e6, np.inf])
    assert result["bandwidth_mib_s"][:3].tolist() == [100.0, 1000.0, 9000.0]
    assert result["bandwidth_low_mib_s"][:2].tolist() == result["bandwidth_high_mib_s"][:2].tolist() == [100.0, 1000.0]
    full = {name: values[3:] for name, values in result.items() if values.dtype == float}
    for name, (limited, unlimited) in full.items():
        assert limited == pytest.approx(unlimited, nan_ok=True), name


def test_latency_rises_with_the_load_from_the_idle_one(profile):
    result = predict(profile, np.geomspace(10.0, 12_000.0, 25))
    for name in ("read_latency_ns", "write_latency_ns", "latency_ns"):
        assert np.all(np.diff(result[name]) >= -1e-9), name
    assert result["read_latency_ns"][0] == pytest.approx(profile.idle_latency_ns["load", "sequential"], rel=0.01)
    assert result["read_latency_ns"][-1] > 1.3 * result["read_latency_ns"][0]


def test_threads_that_pause_contend_less(profile):
    """16 threads of short stores get in each other's way; the same load from threads that pause does not."""
    limited, unlimited = predict(profile, [11_500.0, np.inf])["bandwidth_mib_s"]
    assert unlimited < 10_500 < limited <= 11_500


def test_no_jump_where_the_limit_stops_to_bind(profile):
    unlimited = predict(profile, [np.inf], "load", "random", 8, 4096)
    top = float(unlimited["bandwidth_mib_s"][0])
    result = predict(profile, top * np.linspace(0.9, 3.0, 400), "load", "random", 8, 4096)
    for name in ("bandwidth_mib_s", "latency_ns", "time_per_access_ns"):
        steps = np.abs(np.diff(np.log(result[name])))
        assert steps.max() < 0.03, name
        assert result[name][-1] == pytest.approx(float(unlimited[name][0])), name


def test_half_of_what_threads_can_issue_keeps_half_of_them_busy():
    assert busy_threads(np.array(8.0), np.array(1000.0), np.array(500.0)) == 4.0
    assert busy_threads(np.array(8.0), np.array(1000.0), np.array(2000.0)) == 8.0


def test_the_pause_is_no_part_of_an_access():
    each = time_per_access_ns(*(np.array(x) for x in (4.0, 256.0, 500.0, 1000.0, 500.0)))
    assert each == pytest.approx(4 * 256 / (1000 * 2**20) * 1e9)  # as if nobody paused
    saturated = time_per_access_ns(*(np.array(x) for x in (4.0, 256.0, 400.0, 1000.0, np.inf)))
    assert saturated == pytest.approx(4 * 256 / (400 * 2**20) * 1e9)


def test_a_limited_mix_keeps_its_proportion_and_waits_less(profile):
    mix = {"read_threads": 8.0, "write_threads": 8.0, "write_operation": "ntstore"}
    half, full = (
        {name: values[0] for name, values in predict(profile, [offered], "mixed", "random", 16, **mix).items()}
        for offered in (3000.0, np.inf)
    )
    assert half["bandwidth_mib_s"] == pytest.approx(3000.0)
    for side in ("read", "write"):
        share = half[f"{side}_bandwidth_mib_s"] / full[f"{side}_bandwidth_mib_s"]
        assert share == pytest.approx(3000.0 / full["bandwidth_mib_s"])
        assert half[f"{side}_latency_ns"] < full[f"{side}_latency_ns"]
    assert 0 < half["time_per_access_ns"] < full["time_per_access_ns"]


def test_a_limited_mix_of_one_kind_is_that_kind(profile):
    alone = {"read_threads": 0.0, "write_threads": 15.0, "write_operation": "ntstore"}
    mixed, pure = predict(profile, [1000.0, 11_500.0], "mixed", **alone), predict(profile, [1000.0, 11_500.0])
    for name, values in pure.items():
        assert np.array_equal(values, mixed[name], equal_nan=values.dtype == float), name
