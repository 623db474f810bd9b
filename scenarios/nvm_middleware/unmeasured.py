"""What a workload asks of a device that its profile was never fitted on: sizes, DIMMs, threads at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from pmtwin.sim.device.outside import assumed_axes, outside_of, outside_text
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.parameters.values import resolve
from pmtwin.sim.store.demand import accesses_of
from pmtwin.sim.store.measured_threads import measured_threads
from pmtwin.sim.store.request_accesses import RequestAccesses

FEWEST_THREADS = 1.0


def unmeasured(profile: Profile, workload: Workload, values: Mapping[str, float]) -> str:
    """A clause that says which accesses are extrapolated even with one thread, as are those of operations that a
    profile has from its family alone; empty where none is.

    Args:
        values: parameters of the model that are not as by default.
    """
    values, outside, used = resolve(values), [], set()
    dimms, counted = int(values["dimms"]), True
    for accesses in _accesses(profile, workload, values):
        counted &= not accesses.extrapolated
        for operation, moved in _moved(accesses):
            used.add(operation)
            outside += [outside_of(profile, operation, "random", size, FEWEST_THREADS, dimms) for size in moved]
    guessed = sorted(used & set(profile.record.get("unmeasured_operations", ())))
    if guessed:
        return f"{' and '.join(guessed)}, for which the shipped devices answer (--prior family)"
    if any(outside):
        whole = int(usual_dimms(profile))
        advice = f"; --set dimms={whole} is as profile {profile.name}" if dimms != whole else ""
        return f"{outside_text(outside, assumed_axes(profile))} in workload {workload.name}{advice}"
    return "" if counted else f"value sizes of workload {workload.name} whose accesses were never counted"


def covered_threads(profile: Profile, workload: Workload, values: Mapping[str, float]) -> int | None:
    """Threads at the device up to which all accesses were measured; None: any number that the host has, or none.

    Nearly every run has a bound, since a host has more threads than devices are measured with.

    Args:
        values: parameters of the model that are not as by default.
    """
    count = measured_threads(profile, workload, resolve(values))
    return int(count) if 0 < count < math.inf else None


def _accesses(profile: Profile, workload: Workload, values: Mapping[str, float]) -> Iterator[RequestAccesses]:
    for kind in workload.used_kinds:
        yield accesses_of(profile, values, workload.classes[kind.class_index], kind.operation)


def _moved(accesses: RequestAccesses) -> Iterator[tuple[str, np.ndarray]]:
    """Operation and access sizes of each transfer."""
    for each in accesses.transfers:
        yield each.operation, np.unique(each.access_bytes[each.piece_bytes > 0.0])
