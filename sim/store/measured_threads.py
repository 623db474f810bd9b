"""How many threads at the device a profile's data cover, for the accesses of a workload."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import extrapolated
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.store.demand import accesses_of


def measured_threads(profile: Profile, workload: Workload, values: Mapping[str, float]) -> float:
    """Threads at once up to which all accesses lie inside the fitted data; infinite where all that a host has do.

    0 where a value lies outside those whose accesses were counted, or an access outside the sizes that were measured.

    Args:
        values: resolved parameters.
    """
    threads = np.arange(1, int(values["cores"]) * int(values["threads_per_core"]) + 1, dtype=float)
    outside, dimms = np.zeros(threads.shape, dtype=bool), int(values["dimms"])
    for kind in workload.used_kinds:
        accesses = accesses_of(profile, values, workload.classes[kind.class_index], kind.operation)
        if accesses.extrapolated:
            return 0.0
        for each in accesses.transfers:
            sizes = np.unique(each.access_bytes[each.piece_bytes > 0.0])
            outside |= extrapolated(profile, each.operation, "random", sizes[:, None], threads, dimms).any(axis=0)
    return float(outside.argmax()) if outside.any() else math.inf
