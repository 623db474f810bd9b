"""Fitted ranges of a profile: operations, patterns, and the ranges of values on which each was fitted."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError, unknown_name


def require_known(profile: Profile, operation: str, pattern: str) -> None:
    """Raise `InputError` for an operation that the profile lacks, or a pattern that does not exist."""
    if operation not in profile.parameters:
        raise unknown_name("operation", operation, profile.parameters)
    if pattern not in law.PATTERNS:
        raise unknown_name("pattern", pattern, law.PATTERNS)


def require_measured(profile: Profile, operation: str, pattern: str) -> None:
    """Raise `InputError` unless the profile was fitted to this operation with this pattern."""
    patterns = {name: sorted({box["pattern"] for box in boxes}) for name, boxes in profile.fitted_range.items()}
    if pattern not in patterns.get(operation, ()):
        known = "; ".join(f"{name} {' and '.join(measured_patterns)}" for name, measured_patterns in patterns.items())
        raise InputError("operation", f"{operation} {pattern}", f"what profile {profile.name} was fitted to: {known}")


def usual_dimms(profile: Profile) -> float:
    """Default number of DIMMs: a full set if the profile was fitted to one, else the largest fitted set."""
    fitted = {float(box["dimms"]) for boxes in profile.fitted_range.values() for box in boxes}
    return float(FULL_SET_DIMMS) if FULL_SET_DIMMS in fitted or not fitted else max(fitted)


def extrapolated(
    profile: Profile,
    operation: str,
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray | float = FULL_SET_DIMMS,
    power_w: np.ndarray | float = REFERENCE_POWER_W,
) -> np.ndarray:
    """Mask of the points outside all boxes on which the operation and pattern were fitted.

    Raises:
        InputError: an operation or pattern that the profile does not know.
    """
    require_known(profile, operation, pattern)
    sizes, threads, dimms, power_w = np.broadcast_arrays(access_size_bytes, threads, dimms, power_w)
    inside = np.zeros(sizes.shape, dtype=bool)
    for box in profile.fitted_range[operation]:
        if box["pattern"] != pattern:
            continue
        inside |= (
            (dimms == box["dimms"])
            & _between(sizes, box["access_size_bytes"])
            & _between(threads, box["threads"])
            & _between(power_w, box["power_w"])
        )
    return ~inside


def _between(values: np.ndarray, bounds: list[float]) -> np.ndarray:
    return (values >= bounds[0]) & (values <= bounds[1])
