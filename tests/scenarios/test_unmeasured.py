"""What a user asks of a device that its profile was never fitted on."""

import pytest

from pmtwin.result_notes import extrapolation
from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.device import DEFAULT_PROFILE
from pmtwin.sim.workload import ClassWorkload, Workload
from tests.scenarios.admission import Admission

NOTHING = ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)
ADVICE = f"(profile {DEFAULT_PROFILE} has 6: --set dimms=6)"


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
        ({"workload": reads_of(2.0**24)}, (0,), "accesses of 16,777,216 bytes on 6 DIMMs by workload mine"),
        (
            {"parameters": {"dimms": 4}},
            (1, 3),
            f"accesses of 64 to 8,192 bytes on 4 DIMMs by workload phase-1 {ADVICE}",
        ),
    ],
)
def test_what_is_unmeasured_is_named(options, contexts, clause):
    scenario = NvmMiddleware.of(**options)
    assert scenario.unmeasured(contexts) == clause
    line = f"warning: extrapolated: the device profile was not fitted on {clause}"
    assert extrapolation(scenario, contexts, extrapolated=True) == line


def test_a_scenario_that_cannot_say_where_says_that_it_is_extrapolated():
    assert extrapolation(Admission(), ("calm",), extrapolated=True).startswith("extrapolated: some windows")
