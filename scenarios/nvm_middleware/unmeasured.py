"""What a workload asks of a device that its profile was never fitted on, at any number of threads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.accesses import accesses_of
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import extrapolated, most_dimms
from pmtwin.sim.parameters import resolve
from pmtwin.sim.workload import Workload

FEWEST_THREADS = 1.0


def unmeasured(profile: Profile, workload: Workload, values: Mapping[str, float]) -> str:
    """A clause that says which accesses are extrapolated even with one thread; empty where none is.

    More threads at the device at once than the profile was fitted on are no part of it: they are extrapolated in nearly
    every run (`extrapolated` in results), since a host has more threads than devices are measured with.

    Args:
        values: parameters of the model that are not as by default.
    """
    values, sizes = resolve(values), set()
    dimms, counted = int(values["dimms"]), True
    for kind in workload.used_kinds:
        accesses = accesses_of(profile, values, workload.classes[kind.class_index], kind.operation)
        counted &= not accesses.extrapolated
        for each in accesses.transfers:
            moved = np.unique(each.access_bytes[each.piece_bytes > 0.0])
            sizes |= set(moved[extrapolated(profile, each.operation, "random", moved, FEWEST_THREADS, dimms)].tolist())
    if sizes:
        span = f"{min(sizes):,.0f}" if len(sizes) == 1 else f"{min(sizes):,.0f} to {max(sizes):,.0f}"
        beside = f"on {dimms} DIMMs " if dimms > 1 else ""
        whole = int(most_dimms(profile))
        advice = f" (profile {profile.name} has {whole}: --set dimms={whole})" if dimms != whole else ""
        return f"accesses of {span} bytes {beside}by workload {workload.name}{advice}"
    return "" if counted else f"value sizes of workload {workload.name} whose accesses were never counted"
