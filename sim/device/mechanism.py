"""Bandwidth by the mechanism of a profile alone, without the residual."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import require_known, require_measured


def bandwidth_mib_s(
    profile: Profile,
    operation: str,
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray | float = FULL_SET_DIMMS,
    power_w: np.ndarray | float = REFERENCE_POWER_W,
) -> np.ndarray:
    """Total bandwidth in MiB/s: finite, positive and smooth in the number of threads; arrays broadcast.

    `pmtwin.sim.device.prediction.predict`, which the simulator uses, adds the residual inside the data.

    Raises:
        InputError: an operation or pattern that the profile was not fitted to.
    """
    require_known(profile, operation, pattern)
    require_measured(profile, operation, pattern)
    random = np.asarray(pattern == "random")
    sizes, threads, dimms, power_w = (
        np.asarray(value, dtype=float) for value in (access_size_bytes, threads, dimms, power_w)
    )
    return law.bandwidth_mib_s(profile.parameters[operation], random, sizes, threads, dimms, power_w)
