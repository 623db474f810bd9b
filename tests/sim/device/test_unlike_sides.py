"""Mixes whose reads and writes are unlike: each side is predicted as what it is, and they share the media's time."""

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.effects.mixes import mixed_bandwidth_mib_s
from pmtwin.sim.device.points import parse_points
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.errors import InputError

HEADER = "operation,pattern,access_size_bytes,dimms,threads,read_threads,write_threads,write_operation"
HEADER += ",read_access_size_bytes,write_access_size_bytes,read_pattern,write_pattern,stride_bytes,numa"


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def predicted(profile, *rows: str) -> dict[str, np.ndarray]:
    return predict(profile, parse_points("\n".join([HEADER, *rows]).encode(), "here").columns)


def test_sides_that_repeat_the_mix_change_nothing(profile):
    result = predicted(
        profile, "mixed,random,256,6,,4,4,ntstore,,,,,,", "mixed,sequential,64,6,,4,4,ntstore,256,256,random,random,,"
    )
    for values in result.values():
        assert values[0] == values[1] or np.isnan([values[0], values[1]]).all()
    assert not result["extrapolated"].any() or result["extrapolated"].all()


def test_each_side_has_its_own_pure_bandwidth(profile):
    mixed, read, write = (
        predicted(profile, row)
        for row in (
            "mixed,random,64,6,,4,4,ntstore,4096,256,sequential,,,",
            "load,sequential,4096,6,8,,,,,,,,,",
            "ntstore,random,256,6,8,,,,,,,,,",
        )
    )
    parameters = profile.effects["mixes"]["ntstore"]["parameters"]
    sides = mixed_bandwidth_mib_s(
        *np.array([[4.0], [4.0]]), read["bandwidth_mib_s"], write["bandwidth_mib_s"], parameters
    )
    assert mixed["read_bandwidth_mib_s"] == pytest.approx(sides[0])
    assert mixed["write_bandwidth_mib_s"] == pytest.approx(sides[1])
    assert mixed["extrapolated"][0] and mixed["effective_write_ratio"] == write["effective_write_ratio"]
    for time in ("read_latency_ns", "write_latency_ns", "time_per_access_ns"):
        assert np.isfinite(mixed[time][0])


def test_unlike_sides_are_less_certain_than_a_measured_mix(profile):
    like, unlike = (predicted(profile, f"mixed,random,64,6,,8,8,ntstore,,{size},,,,") for size in ("", "256"))
    half = [np.log(result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"])[0] for result in (like, unlike)]
    assert half[1] > half[0]


def test_a_side_that_is_alone_is_a_pure_access_of_its_own_kind(profile):
    rows = ["mixed,random,64,6,,4,0,ntstore,4096,,sequential,,,", "mixed,random,64,6,,0,4,ntstore,,256,,,,"]
    pure = ["load,sequential,4096,6,4,,,,,,,,,", "ntstore,random,256,6,4,,,,,,,,,"]
    result, expected = predicted(profile, *rows), predicted(profile, *pure)
    for name in ("bandwidth_mib_s", "latency_ns", "bandwidth_low_mib_s"):
        assert result[name].tolist() == expected[name].tolist()


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("mixed,random,64,6,,4,4,ntstore,0,,,,,", "read_access_size_bytes"),
        ("mixed,random,64,6,,4,4,ntstore,,,,zigzag,,", "write_pattern"),
        ("load,random,64,6,4,,,,256,,,,,", "read_access_size_bytes"),
        ("mixed,sequential,64,6,,4,4,ntstore,256,,,,512,", "read_access_size_bytes"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(profile, row, field):
    with pytest.raises(InputError, match=field):
        predicted(profile, row)
