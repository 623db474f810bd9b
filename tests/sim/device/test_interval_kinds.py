"""Another campaign is less certain than the same one, another device less than that; assumptions are told."""

from dataclasses import replace

import numpy as np
import pytest

from pmtwin.sim.device import load_profile
from pmtwin.sim.device.interval_kinds import (
    CAMPAIGN,
    CAMPAIGN_LOG_HALF_WIDTHS,
    DEVICE,
    DEVICE_LOG_HALF_WIDTH,
    REPEAT,
    assumptions,
    widenings,
    with_interval,
)
from pmtwin.sim.device.prediction import predict
from studies.interval_kinds import figure_4, judged

ASKED = [("load", "random")]
BEYOND_THE_KNEE = "load, 1 DIMM"
"""The sweep ends before contention begins there."""


@pytest.fixture(scope="module")
def profile():
    return load_profile()


def half_width(profile, **more) -> float:
    point = {"operation": "load", "pattern": "random", "access_size_bytes": 256.0, "threads": 4.0, "dimms": 6.0}
    point |= {"power_w": 15.0, "write_operation": ""} | more
    result = predict(profile, {name: np.array([value]) for name, value in point.items()})
    return float(np.log(result["bandwidth_high_mib_s"] / result["bandwidth_mib_s"])[0])


def test_each_question_has_a_wider_interval_around_the_same_prediction(profile):
    repeat, campaign, device = (half_width(with_interval(profile, each)) for each in (REPEAT, CAMPAIGN, DEVICE))
    assert repeat < campaign < device
    assert campaign >= CAMPAIGN_LOG_HALF_WIDTHS["load"]
    assert with_interval(profile, REPEAT) is profile


def test_a_mix_and_its_latencies_are_as_uncertain_as_their_sides(profile):
    mix = {
        "operation": "mixed",
        "threads": 8.0,
        "read_threads": 4.0,
        "write_threads": 4.0,
        "write_operation": "ntstore",
    }
    mix["pattern"] = "sequential"
    assert half_width(with_interval(profile, CAMPAIGN), **mix) > half_width(profile, **mix)
    wider = with_interval(profile, CAMPAIGN).intervals["latency"]["load"]["sequential"]
    assert wider > profile.intervals["latency"]["load"]["sequential"]


def test_another_campaign_lies_inside_its_intervals(profile, shared_data):
    if not (shared_data / "optane").is_dir():
        pytest.skip("the curves of FAST'20 are not in ../shared/data/optane")
    curves = [curve for curve in figure_4(shared_data / "optane") if curve[0] != BEYOND_THE_KNEE]
    assert len(curves) == 5
    assert all(judged(profile, points, measured, CAMPAIGN)[0] >= 0.8 for _, points, measured in curves)


def test_sessions_widen_a_campaign_and_are_not_assumed_from_five_on(profile):
    known = {**profile.intervals, "sessions": {"load": {"log_half_width": 0.2, "groups": 5}}}
    told = replace(profile, intervals=known)
    assert half_width(with_interval(told, CAMPAIGN)) == pytest.approx(
        np.hypot(np.hypot(half_width(profile), CAMPAIGN_LOG_HALF_WIDTHS["load"]), 0.2)
    )
    assert assumptions(told, CAMPAIGN, ASKED) == ["other campaigns (1 known)"]
    known["sessions"] = {"load": {"log_half_width": 0.2, "groups": 4}}
    few = replace(profile, intervals=known)
    assert assumptions(few, CAMPAIGN, ASKED) == ["other campaigns (1 known)", "sessions (4 known)"]
    assert assumptions(few, REPEAT, ASKED) == []


def test_other_devices_are_those_of_the_same_kind_of_memory(profile):
    pmem, dram = (widenings(load_profile(name), DEVICE, *ASKED[0])[-1] for name in (profile.name, "dram-ddr4"))
    assert pmem.groups == 3 and pmem.assumed
    assert dram.groups == 0 and dram.log_half_width == DEVICE_LOG_HALF_WIDTH


def test_a_profile_without_intervals_has_none_of_any_kind(profile):
    bare = replace(profile, intervals=None)
    assert with_interval(bare, DEVICE) is bare
