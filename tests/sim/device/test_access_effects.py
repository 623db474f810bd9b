"""Strides, fences, the remote node and separate DIMMs each change a prediction by their own mechanism."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import load_profile, prediction
from pmtwin.sim.device.effects.fences import fenced_time_ns
from pmtwin.sim.device.effects.strides import stride_loss


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def predict(profile, operation, pattern, threads, size, dimms=6.0, **variation):
    columns = {"operation": operation, "pattern": pattern, "threads": float(threads), "access_size_bytes": float(size)}
    columns |= {"dimms": float(dimms), "power_w": 15.0, "read_threads": 0.0, "write_threads": 0.0}
    columns |= {"write_operation": ""} | variation
    result = prediction.predict(profile, {name: np.array([value]) for name, value in columns.items()})
    return {name: values[0] for name, values in result.items()}


def test_a_short_stride_is_a_random_access_to_the_media(profile):
    strided = predict(profile, "ntstore", "sequential", 1, 64, 1, stride_bytes=256.0)
    random = predict(profile, "ntstore", "random", 1, 64, 1)
    sequential = predict(profile, "ntstore", "sequential", 1, 64, 1)
    assert strided["bandwidth_mib_s"] == pytest.approx(random["bandwidth_mib_s"], rel=0.1)
    assert strided["effective_write_ratio"] < 0.26 < sequential["effective_write_ratio"]
    assert not strided["extrapolated"]


def test_long_strides_of_many_threads_meet_on_few_dimms(profile):
    at = {stride: predict(profile, "load", "sequential", 16, 64, stride_bytes=stride) for stride in (256.0, 4096.0)}
    assert at[4096.0]["bandwidth_mib_s"] < 0.5 * at[256.0]["bandwidth_mib_s"]
    widths = [result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"] for result in at.values()]
    assert widths[1] > widths[0]  # and are harder to predict


def test_the_loss_of_a_stride_at_its_reference():
    strided = {"loss_one_dimm": 0.5, "loss_full_set": 2.0, "critical_stride_bytes": 4096.0, "onset_exponent": 3.0}
    strided |= {"size_exponent_one_dimm": 1.0, "size_exponent_full_set": 1.0}
    strided |= {"thread_exponent_one_dimm": 2.0, "thread_exponent_full_set": 0.5}
    a = np.array
    assert stride_loss(strided, a(256.0), a(4096.0), a(8.0), a(6.0)) == pytest.approx(1.0)
    assert stride_loss(strided, a(256.0), a(4096.0), a(8.0), a(1.0)) == pytest.approx(0.25)
    assert stride_loss(strided, a(512.0), a(4096.0), a(32.0), a(6.0)) == pytest.approx(1.0)
    assert stride_loss(strided, a(256.0), a(4096.0), a(16.0), a(1.0)) == pytest.approx(1.0)


def test_a_fence_after_each_line_costs_a_wait_each(profile):
    fenced = predict(profile, "ntstore", "random", 1, 64, fence_interval_bytes=64.0)
    wait = profile.effects["fences"]["ntstore"]["parameters"]["random_ns"]
    per_line_ns = 64 / (fenced["bandwidth_mib_s"] * 2**20) * 1e9
    assert wait <= per_line_ns < wait + 15
    assert fenced["latency_ns"] == pytest.approx(per_line_ns)


def test_rare_fences_cost_next_to_nothing(profile):
    fenced = profile.effects["fences"]["ntstore"]["parameters"]
    time = fenced_time_ns(fenced, np.array(True), np.array(1e6), np.array(250_000.0))
    assert time == pytest.approx(250_000.0, rel=0.002)


def test_the_remote_node_takes_its_factor_longer(profile):
    for operation in ("load", "store_clwb"):
        local = predict(profile, operation, "random", 16, 64)
        remote = predict(profile, operation, "random", 16, 64, remote=True)
        factor = profile.effects["remote"][operation]["parameters"]["time_factor"]
        # Inside the sweep's data the residual corrects both alike.
        assert local["bandwidth_mib_s"] / remote["bandwidth_mib_s"] == pytest.approx(factor)
        assert remote["latency_ns"] / local["latency_ns"] == pytest.approx(factor)
        assert remote["bandwidth_high_mib_s"] / remote["bandwidth_low_mib_s"] > (
            local["bandwidth_high_mib_s"] / local["bandwidth_low_mib_s"]
        )
        assert not remote["extrapolated"]
        assert predict(profile, operation, "random", 4, 4096, remote=True)["extrapolated"]


def test_separate_dimms_share_the_threads(profile):
    apart = predict(profile, "load", "random", 12, 4096, 3, interleaved=False)
    first = predict(profile, "load", "random", 4, 4096, 1)
    assert apart["bandwidth_mib_s"] == pytest.approx(3 * first["bandwidth_mib_s"])
    assert apart["extrapolated"] and not first["extrapolated"]
    few = predict(profile, "load", "random", 2, 4096, 6, interleaved=False)
    assert few["bandwidth_mib_s"] == pytest.approx(
        2 * predict(profile, "load", "random", 1, 4096, 1)["bandwidth_mib_s"]
    )


def test_what_the_data_do_not_identify_has_no_number(profile):
    for operation, variation in (("store", {"remote": True}), ("store", {"fence_interval_bytes": 256.0})):
        result = predict(profile, operation, "random", 4, 256, **variation)
        assert result["not_identified"].endswith(f"of {operation}") and result["extrapolated"]
        assert np.isnan(result["bandwidth_mib_s"]) and np.isnan(result["latency_p99_ns"])
    bare = replace(profile, effects=None)
    assert predict(bare, "load", "sequential", 4, 64, stride_bytes=512.0)["not_identified"] == "strides of load"


def test_effects_that_were_measured_apart_are_extrapolated_together(profile):
    first, both = (
        predict(profile, "load", "sequential", 8, 64, stride_bytes=512.0, fence_interval_bytes=fence)
        for fence in (0.0, 64.0)
    )
    assert not first["extrapolated"] and both["extrapolated"]
    widths = [result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"] for result in (first, both)]
    assert widths[1] > 1.4 > widths[0]
    mix = {"read_threads": 8.0, "write_threads": 8.0, "write_operation": "ntstore"}
    assert not predict(profile, "mixed", "random", 16, 64, **mix)["extrapolated"]
    assert predict(profile, "mixed", "random", 16, 64, fence_interval_bytes=64.0, **mix)["extrapolated"]


def test_each_direction_has_its_bandwidth(profile):
    read, written = predict(profile, "load", "random", 4, 256), predict(profile, "ntstore", "random", 4, 256)
    assert read["read_bandwidth_mib_s"] == read["bandwidth_mib_s"] and read["write_bandwidth_mib_s"] == 0
    assert written["write_bandwidth_mib_s"] == written["bandwidth_mib_s"] and written["read_bandwidth_mib_s"] == 0
    assert np.isnan(read["effective_write_ratio"]) and 0.9 < written["effective_write_ratio"] <= 1


def test_the_first_line_of_a_media_line_makes_the_tail_of_sequential_reads(profile):
    short, line = (predict(profile, "load", "sequential", 1, size) for size in (64, 256))
    assert short["latency_p99_ns"] > profile.idle_latency_ns["load", "random"] > short["latency_ns"]
    assert line["latency_p99_ns"] < 1.5 * line["latency_ns"]
