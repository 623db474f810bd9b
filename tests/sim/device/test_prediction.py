"""Predictions: the mechanism, corrected inside the data; intervals; mixes; latency. With golden numbers."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.mechanism import bandwidth_mib_s
from pmtwin.sim.device.prediction import predict, predict_bandwidth
from pmtwin.sim.errors import InputError

GOLDEN_POINTS = [
    ("load", "random", 1, 64, 6),
    ("load", "random", 16, 4096, 6),
    ("load", "sequential", 6, 256, 6),
    ("load", "random", 8, 1024, 1),
    ("ntstore", "random", 4, 256, 6),
    ("ntstore", "random", 24, 64, 6),
    ("ntstore", "sequential", 20, 65536, 6),
    ("store_clwb", "random", 12, 1048576, 6),
    ("store", "random", 2, 4096, 1),
]
GOLDEN_MIB_S = [1799.7, 26894.6, 16900.7, 4826.2, 12649.8, 3220.1, 8582.0, 10428.5, 541.3]


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def points(*rows, power_w=15.0, mix=None) -> dict[str, np.ndarray]:
    operation, pattern, threads, size, dimms = zip(*rows, strict=True)
    n = len(rows)
    readers, writers, writing = mix or (0.0, 0.0, "")
    return {
        "operation": np.array(operation),
        "pattern": np.array(pattern),
        "threads": np.array(threads, dtype=float),
        "access_size_bytes": np.array(size, dtype=float),
        "dimms": np.array(dimms, dtype=float),
        "power_w": np.full(n, power_w),
        "read_threads": np.full(n, readers),
        "write_threads": np.full(n, writers),
        "write_operation": np.full(n, writing),
    }


def test_golden_numbers(profile):
    predicted = predict(profile, points(*GOLDEN_POINTS))["bandwidth_mib_s"]
    assert predicted.tolist() == pytest.approx(GOLDEN_MIB_S, rel=1e-4), [round(float(b), 1) for b in predicted]


def test_bandwidths_alone_are_the_same_to_the_last_bit(profile):
    mixes = points(*[("mixed", "random", 0, 256, 6)] * 2, mix=(3.0, 5.0, "store_clwb"))
    for asked in (points(*GOLDEN_POINTS), mixes, mixes | {"offered_mib_s": np.array([900.0, np.inf])}):
        whole, bandwidth = predict(profile, asked), predict_bandwidth(profile, asked)
        assert whole.keys() == bandwidth.keys()
        times = {name for name in whole if name.endswith("_ns")}
        assert all(np.isnan(bandwidth[name]).all() and np.isfinite(whole["latency_ns"]).all() for name in times)
        for name in whole.keys() - times - {"not_identified"}:
            np.testing.assert_array_equal(whole[name], bandwidth[name])


def test_points_do_not_depend_on_one_another(profile):
    together = predict(profile, points(*GOLDEN_POINTS))
    backwards = predict(profile, points(*GOLDEN_POINTS[::-1]))
    for name, values in together.items():
        nothing = values != values  # no write ratio of reads
        assert np.array_equal(values[~nothing], backwards[name][::-1][~nothing])
    alone = predict(profile, points(GOLDEN_POINTS[3]))
    assert alone["bandwidth_mib_s"][0] == together["bandwidth_mib_s"][3]


def test_outside_the_data_the_mechanism_answers_alone(profile):
    rows = [("load", "random", 40, 256, 6), ("load", "random", 8, 256, 3), ("ntstore", "random", 4, 32, 6)]
    predicted = predict(profile, points(*rows))
    for k, (operation, pattern, threads, size, dimms) in enumerate(rows):
        bare = bandwidth_mib_s(profile, operation, pattern, size, threads, dimms)
        assert predicted["bandwidth_mib_s"][k] == pytest.approx(float(bare), rel=1e-12)
    assert predicted["extrapolated"].tolist() == [True, True, True]


def test_inside_the_data_the_residual_corrects(profile):
    row = ("load", "random", 16, 4096, 6)
    bare = predict(replace(profile, residual=None), points(row))["bandwidth_mib_s"][0]
    assert bare == pytest.approx(float(bandwidth_mib_s(profile, "load", "random", 4096, 16)), rel=1e-12)
    assert predict(profile, points(row))["bandwidth_mib_s"][0] != pytest.approx(bare, rel=1e-3)


def test_intervals_hold_the_prediction_and_widen_away_from_the_data(profile):
    rows = [("ntstore", "random", threads, 256, 6) for threads in (16, 30, 60, 120)]
    predicted = predict(profile, points(*rows))
    ratio = predicted["bandwidth_high_mib_s"] / predicted["bandwidth_mib_s"]
    assert np.all(predicted["bandwidth_low_mib_s"] < predicted["bandwidth_mib_s"])
    assert ratio == pytest.approx(predicted["bandwidth_mib_s"] / predicted["bandwidth_low_mib_s"])
    assert np.all(np.diff(ratio) > 0)


def test_a_thread_count_nobody_measured_gets_a_wider_interval(profile):
    rows = [("load", "random", threads, 4096, 6) for threads in (8, 10, 12)]  # 10 lies between two that were
    low, mid = (predict(profile, points(*rows))[f"bandwidth_{name}mib_s"] for name in ("low_", ""))
    widths = mid / low
    assert widths[1] > max(widths[0], widths[2]) > 1


def test_a_profile_without_intervals_says_so(profile):
    predicted = predict(replace(profile, intervals=None, residual=None), points(GOLDEN_POINTS[0]))
    assert np.isnan(predicted["bandwidth_low_mib_s"][0])
    assert np.isfinite(predicted["bandwidth_mib_s"][0])


def test_a_mix_of_short_accesses_shares_the_media_about_equally(profile):
    row = ("mixed", "random", 16, 64, 6)
    profile = replace(profile, effects=None)  # nothing measured of mixes
    reads, writes = (
        predict(profile, points((name, "random", 16, 64, 6)))["bandwidth_mib_s"][0] for name in ("load", "ntstore")
    )
    mixed = predict(profile, points(row, mix=(12.0, 4.0, "ntstore")))
    assert mixed["bandwidth_mib_s"][0] == pytest.approx(0.75 * reads + 0.25 * writes, rel=0.03)
    only = predict(profile, points(row, mix=(16.0, 0.0, "ntstore")))
    assert only["bandwidth_mib_s"][0] == pytest.approx(reads)


def test_writes_slow_the_reads_of_a_mix_down(profile):
    row = ("mixed", "random", 16, 64, 6)
    alone, mixed = (predict(profile, points(row, mix=(n, 16.0 - n, "ntstore"))) for n in (16.0, 14.0))
    result = profile.effects["mixes"]["ntstore"]["parameters"]
    read_factor = 1 - result["interference"] * 0.875**2 * 0.125 / (0.125 + 0.05)
    gain = 1 + 4 * result["overlap"] * 0.875 * 0.125
    read = alone["bandwidth_mib_s"][0] * 0.875 * read_factor * gain
    assert mixed["read_bandwidth_mib_s"][0] == pytest.approx(read)
    assert mixed["write_bandwidth_mib_s"][0] + read == pytest.approx(mixed["bandwidth_mib_s"][0])
    assert mixed["latency_ns"][0] > alone["latency_ns"][0]


def test_a_mix_that_nobody_measured_is_extrapolated_with_a_wide_interval(profile):
    near, large, other = (
        predict(profile, points(("mixed", "random", 16, size, 6), mix=(8.0, 8.0, writing)))
        for size, writing in ((64, "ntstore"), (4096, "ntstore"), (64, "store"))
    )
    assert [bool(result["extrapolated"][0]) for result in (near, large, other)] == [False, True, True]
    widths = [(result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"])[0] for result in (near, large, other)]
    assert min(widths[1:]) > 1.4 > widths[0]
    pure = predict(profile, points(("mixed", "random", 16, 4096, 6), mix=(16.0, 0.0, "store")))
    assert not pure["extrapolated"][0]  # nothing is mixed


def test_the_mean_time_per_access_is_littles(profile):
    result = predict(profile, points(("mixed", "random", 16, 64, 6), mix=(12.0, 4.0, "ntstore")))
    sides = ((12, result["read_bandwidth_mib_s"][0]), (4, result["write_bandwidth_mib_s"][0]))
    mean = sum(n / 16 * n * 64 / (bandwidth * 2**20) * 1e9 for n, bandwidth in sides)
    assert result["time_per_access_ns"][0] == pytest.approx(mean)
    assert result["read_latency_ns"][0] > profile.idle_latency_ns["load", "random"]


def test_an_operation_that_the_profile_was_not_fitted_to_is_refused(profile):
    loads_only = replace(profile, parameters={"load": profile.parameters["load"]})
    with pytest.raises(InputError, match=r"operation: 'ntstore' .*fitted to: load"):
        predict(loads_only, points(("ntstore", "random", 4, 64, 6)))
    with pytest.raises(InputError, match=r"operation: 'ntstore'"):
        predict(loads_only, points(("mixed", "random", 4, 64, 6), mix=(2.0, 2.0, "ntstore")))


def test_one_access_takes_at_least_the_idle_latency_and_what_littles_law_asks(profile):
    rows = [("load", "random", 1, 64, 6), ("load", "random", 24, 4096, 6)]
    predicted = predict(profile, points(*rows))
    assert predicted["latency_ns"][0] == pytest.approx(305, rel=0.02)
    little = 24 * 4096 / (predicted["bandwidth_mib_s"][1] * 2**20) * 1e9
    assert predicted["latency_ns"][1] == pytest.approx(little)
