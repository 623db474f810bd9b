"""What a user asks of a device that its profile was never fitted on."""

from dataclasses import replace

import pytest

from pmtwin.evaluation.notes import extrapolation
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.scenarios.nvm_middleware.phases import phase_workload
from pmtwin.scenarios.nvm_middleware.unmeasured import unmeasured
from pmtwin.sim.device import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.load.workload import ClassWorkload, Workload
from tests.scenarios.admission import Admission

NOTHING = ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)


def measured_on(ranges: dict) -> Profile:
    """The default profile, as if its measurements had been these."""
    profile = load_profile(DEFAULT_PROFILE)
    boxes = {name: [box | ranges for box in boxes] for name, boxes in profile.fitted_range.items()}
    return replace(profile, fitted_range=boxes)


def reads_of(size_bytes: float) -> Workload:
    return Workload("mine", ClassWorkload(8, 0.0, size_bytes, size_bytes, rate_ops=1000.0), NOTHING)


def test_the_phases_ask_for_nothing_unmeasured_but_more_threads_than_the_profile_has():
    scenario = NvmMiddleware()
    assert scenario.unmeasured((1, 2, 3, 4)) == ""
    assert scenario.extrapolated_where((1, 2, 3, 4)) == "more than 24 threads are at the device at once"
    line = "extrapolated where more than 24 threads are at the device at once: not measured for all accesses"
    assert extrapolation(scenario, (1, 3), extrapolated=True) == line
    assert extrapolation(scenario, (1, 3), extrapolated=False) == ""


def test_a_host_with_few_threads_stays_inside_the_profile():
    scenario = NvmMiddleware.of(parameters={"cores": 12})
    assert scenario.extrapolated_where((1,)) == ""
    one_more = NvmMiddleware.of(parameters={"cores": 13})
    assert one_more.extrapolated_where((1,)) == "more than 24 threads are at the device at once"


@pytest.mark.parametrize(("settings", "said"), [([(2, 2)], False), ([(12, 12)], False), ([(2, 2), (12, 13)], True)])
def test_pools_with_fewer_threads_than_were_measured_are_not_extrapolated(settings, said):
    line = extrapolation(NvmMiddleware(), (1,), True, settings)
    assert bool(line) is said


@pytest.mark.parametrize(
    ("options", "contexts", "clause"),
    [
        (
            {"workload": reads_of(2.0**24)},
            (0,),
            "accesses of 16,777,216 bytes (measured: 64 to 2,097,152) in workload mine",
        ),
        (
            {"parameters": {"dimms": 4}},
            (1, 3),
            f"4 DIMMs (measured: 1 or 6) in workload phase-1; --set dimms=6 is as profile {DEFAULT_PROFILE}",
        ),
    ],
)
def test_what_is_unmeasured_is_named(options, contexts, clause):
    scenario = NvmMiddleware.of(**options)
    assert scenario.unmeasured(contexts) == clause
    line = f"warning: extrapolated: the device profile was not fitted on {clause}"
    assert extrapolation(scenario, contexts, extrapolated=True) == line


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ({"threads": [4.0, 8.0]}, "1 thread (measured: 4 to 8) in workload phase-1"),
        ({"power_w": [12.0, 12.0]}, "a power budget of 15 W (measured: 12) in workload phase-1"),
        ({"access_size_bytes": [64.0, 1024.0]}, "accesses of 8,192 bytes (measured: 64 to 1,024) in workload phase-1"),
    ],
)
def test_the_quantity_that_was_not_measured_is_named_and_no_other(measured, said):
    assert unmeasured(measured_on(measured), phase_workload(1), {}) == said


def test_measurements_with_one_thread_cover_one_thread(tmp_path):
    profile = measured_on({"threads": [1.0, 1.0]})
    assert unmeasured(profile, phase_workload(1), {}) == ""
    profile.save(tmp_path / "one.json")
    scenario = NvmMiddleware.of(profile=str(tmp_path / "one.json"))
    assert scenario.extrapolated_where((1,)) == "more than 1 thread is at the device at once"


def test_a_scenario_that_cannot_say_where_says_that_it_is_extrapolated():
    assert extrapolation(Admission(), ("calm",), extrapolated=True).startswith("extrapolated: some windows")
