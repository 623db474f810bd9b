"""The number of threads at the device that a profile's data cover, for the accesses of a workload."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import extrapolated
from pmtwin.sim.load.workload import Workload
from pmtwin.sim.store.demand import accesses_of


def measured_threads(profile: Profile, workload: Workload, values: Mapping[str, float]) -> float:
    """Largest number of threads with which all accesses lie inside the fitted data.

    It is infinite if that holds for all hardware threads of the host, and 0 if a value size lies outside the counted
    ones, or an access outside the measured sizes.

    Args:
        values: resolved parameters.
    """
    threads = np.arange(1, int(values["cores"]) * int(values["threads_per_core"]) + 1, dtype=float)
    outside, dimms = np.zeros(threads.shape, dtype=bool), int(values["dimms"])
    for kind in workload.used_kinds:
        accesses = accesses_of(profile, values, workload.classes[kind.class_index], kind.operation)
        if accesses.extrapolated:
            return 0.0
        for transfer in accesses.transfers:
            sizes = np.unique(transfer.access_bytes[transfer.piece_bytes > 0.0])
            outside |= extrapolated(profile, transfer.operation, "random", sizes[:, None], threads, dimms).any(axis=0)
    return float(outside.argmax()) if outside.any() else math.inf
