"""What a user asks of a device that its profile was never fitted on."""

import pytest

from pmtwin.scenarios.nvm_middleware import NvmMiddleware
from pmtwin.sim.device import DEFAULT_PROFILE
from pmtwin.sim.workload import ClassWorkload, Workload

NOTHING = ClassWorkload(clients=0, write_ratio=0.0, read_sizes_bytes=1, write_sizes_bytes=1)
ADVICE = f"(profile {DEFAULT_PROFILE} has 6: --set dimms=6)"


def reads_of(size_bytes: float) -> Workload:
    return Workload("mine", ClassWorkload(8, 0.0, size_bytes, size_bytes, rate_ops=1000.0), NOTHING)


def test_the_phases_ask_for_nothing_unmeasured():
    assert NvmMiddleware().unmeasured((1, 2, 3, 4)) == ""


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
    assert NvmMiddleware.of(**options).unmeasured(contexts) == clause
