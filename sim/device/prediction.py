"""Predictions for many points at once: bandwidth with its 90 % interval, latency, and whether it is extrapolated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sim.device import law
from sim.device.intervals import distance_octaves, log_half_width
from sim.device.issue import issue_bound_mib_s
from sim.device.latency import access_latency_ns
from sim.device.mixes import MIX_LOG_HALF_WIDTH, mixed_bandwidth_mib_s
from sim.device.points import MIXED
from sim.device.residual import log_correction
from sim.errors import InputError

if TYPE_CHECKING:
    from sim.device.profile import Profile

_COLUMNS = ("access_size_bytes", "threads", "dimms", "power_w")


def predict(profile: Profile, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Predict all points (columns as `sim.device.points.read_points` returns them, one shape (n,)).

    Returns:
        Arrays of shape (n,): `bandwidth_mib_s`, `bandwidth_low_mib_s`, `bandwidth_high_mib_s` (90 % interval for the
        median of a new configuration; NaN if the profile has no intervals), `latency_ns`, `extrapolated`.

    Raises:
        InputError: an operation that the profile was not fitted to.
    """
    _check_operations(profile, points)
    n = len(points["operation"])
    result = {name: np.full(n, np.nan) for name in ("bandwidth_mib_s", "log_half_width", "latency_ns")}
    result["extrapolated"] = np.zeros(n, dtype=bool)
    for operation, pattern, is_mix, chosen in _groups(profile, points):
        for needed in ("load", operation) if is_mix else (operation,):
            profile.require_measured(needed, pattern)
        if is_mix:
            _store(result, chosen, _mixed(profile, operation, pattern, points, chosen))
        else:
            _store(result, chosen, _pure(profile, operation, pattern, _at(points, chosen)))
    half = result.pop("log_half_width")
    result["bandwidth_low_mib_s"] = result["bandwidth_mib_s"] * np.exp(-half)
    result["bandwidth_high_mib_s"] = result["bandwidth_mib_s"] * np.exp(half)
    return result


def _check_operations(profile: Profile, points: Mapping[str, np.ndarray]) -> None:
    asked = set(np.unique(points["operation"]).tolist())
    if MIXED in asked:
        asked |= {"load", *np.unique(points["write_operation"]).tolist()}
    known = ", ".join(profile.parameters)
    for operation in sorted(asked - {MIXED, ""}):
        if operation not in profile.parameters:
            raise InputError("operation", operation, f"what profile {profile.name} was fitted to: {known}")


def _groups(profile: Profile, points: Mapping[str, np.ndarray]) -> Iterator[tuple[str, str, bool, np.ndarray]]:
    """(operation, pattern, whether it is the writing half of a mix, index of its points), none of them empty."""
    patterns = {pattern: np.asarray(points["pattern"]) == pattern for pattern in law.PATTERNS}
    mixed = np.asarray(points["operation"]) == MIXED
    for operation in profile.parameters:
        members = {False: np.asarray(points["operation"]) == operation}
        if np.any(mixed):
            members[True] = mixed & (np.asarray(points["write_operation"]) == operation)
        for is_mix, member in members.items():
            for pattern, same in patterns.items():
                chosen = np.flatnonzero(member & same)
                if chosen.size:
                    yield operation, pattern, is_mix, chosen


def _at(points: Mapping[str, np.ndarray], chosen: np.ndarray) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(points[name], dtype=float)[chosen] for name in _COLUMNS)


def _store(result: dict[str, np.ndarray], chosen: np.ndarray, values: dict[str, np.ndarray]) -> None:
    for name, value in values.items():
        result[name][chosen] = value


def _pure(profile: Profile, operation: str, pattern: str, at: tuple[np.ndarray, ...]) -> dict[str, np.ndarray]:
    """One operation and pattern; `at` holds access size, threads, DIMMs and power, shape (m,) each."""
    distance = distance_octaves(profile.fitted_range[operation], pattern, *at)
    size, threads, *_ = at
    parameters, random = profile.parameters[operation], np.asarray(pattern == "random")
    media = law.media_bound_mib_s(parameters, random, *at)
    bandwidth = law.join_bounds(parameters, issue_bound_mib_s(parameters, random, size, threads), media)
    if profile.residual:
        cells = profile.residual["operations"].get(operation, [])
        bandwidth = bandwidth * np.exp(np.where(distance > 0, 0.0, log_correction(cells, pattern, *at)))
    half = np.full(bandwidth.shape, np.nan)
    if profile.intervals:
        half = log_half_width(profile.intervals, operation, pattern, *at, distance)
    return {
        "bandwidth_mib_s": bandwidth,
        "log_half_width": half,
        "latency_ns": _latency(profile, operation, pattern, size, threads, bandwidth, bandwidth / media),
        "extrapolated": distance > 0,
    }


def _latency(profile: Profile, operation: str, pattern: str, *at: np.ndarray) -> np.ndarray:
    """NaN where the profile does not know the idle latency or the one under load."""
    if (operation, pattern) not in profile.idle_latency_ns or operation not in profile.queue_line_ns:
        return np.full(at[0].shape, np.nan)
    return access_latency_ns(profile, operation, pattern, *at)


def _mixed(
    profile: Profile, write_operation: str, pattern: str, points: Mapping[str, np.ndarray], chosen: np.ndarray
) -> dict[str, np.ndarray]:
    """Reads and writes of one size together: what all threads would read, and write, shared by media time."""
    size, _, dimms, power = _at(points, chosen)
    readers = np.asarray(points["read_threads"], dtype=float)[chosen]
    writers = np.asarray(points["write_threads"], dtype=float)[chosen]
    at = size, readers + writers, dimms, power
    reads = _pure(profile, "load", pattern, at)
    writes = _pure(profile, write_operation, pattern, at)
    read, write = mixed_bandwidth_mib_s(readers, writers, reads["bandwidth_mib_s"], writes["bandwidth_mib_s"])
    total = read + write
    share = read / total
    half = share * reads["log_half_width"] + (1.0 - share) * writes["log_half_width"]
    is_mix = (readers > 0) & (writers > 0)
    return {
        "bandwidth_mib_s": total,
        "log_half_width": np.hypot(half, np.where(is_mix, MIX_LOG_HALF_WIDTH, 0.0)),
        # Threads of both kinds share the device; the mean over accesses weighs each kind by how many it completes.
        "latency_ns": share * reads["latency_ns"] + (1.0 - share) * writes["latency_ns"],
        "extrapolated": ((readers > 0) & reads["extrapolated"]) | ((writers > 0) & writes["extrapolated"]),
    }
