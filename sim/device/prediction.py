"""Predictions for many points at once: bandwidth with its 90 % interval, latency, and whether it is extrapolated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sim.device import law
from sim.device.effects import MIXES
from sim.device.intervals import distance_octaves, log_half_width
from sim.device.latency import access_latency_ns, p99_latency_ns
from sim.device.mixes import MIX_LOG_HALF_WIDTH, mixed_bandwidth_mib_s
from sim.device.points import MIXED
from sim.device.power import power_factor
from sim.device.residual import log_correction
from sim.device.variations import Accesses, Outcome, on_separate_dimms, plain_bounds, vary
from sim.device.write_combining import amplification
from sim.errors import InputError

if TYPE_CHECKING:
    from sim.device.profile import Profile

_COLUMNS = ("access_size_bytes", "threads", "dimms", "power_w")
_VARIATIONS = {"stride_bytes": 0.0, "fence_interval_bytes": 0.0, "remote": False, "interleaved": True}
_NUMBERS = ("bandwidth_mib_s", "read_bandwidth_mib_s", "write_bandwidth_mib_s", "log_half_width")
_NUMBERS += ("effective_write_ratio", "latency_ns", "latency_p99_ns")


def predict(profile: Profile, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Predict all points (columns as `sim.device.points.parse_points` returns them, one shape (n,)).

    Args:
        points: `operation`, `pattern`, `access_size_bytes`, `threads`, `dimms`, `power_w`; of mixes `read_threads`,
            `write_threads`, `write_operation`; optional `stride_bytes` and `fence_interval_bytes` (0: none), `remote`
            and `interleaved` (bool).

    Returns:
        Arrays of shape (n,): `bandwidth_mib_s`, `bandwidth_low_mib_s`, `bandwidth_high_mib_s` (90 % interval for the
        median of a new configuration; NaN if the profile has no intervals), `read_bandwidth_mib_s`,
        `write_bandwidth_mib_s`, `effective_write_ratio` (NaN without writes), `latency_ns` (mean over the threads),
        `latency_p99_ns` (of single accesses, without a hot spot), `extrapolated`, and `not_identified`: the effect
        that the profile's data do not tell, or an empty string; all numbers of such a point are NaN.

    Raises:
        InputError: an operation that the profile was not fitted to.
    """
    _check_operations(profile, points)
    n = len(points["operation"])
    result = {name: np.full(n, np.nan) for name in _NUMBERS}
    result["extrapolated"] = np.zeros(n, dtype=bool)
    result["not_identified"] = np.full(n, "", dtype=object)
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


def _at(points: Mapping[str, np.ndarray], chosen: np.ndarray) -> Accesses:
    columns = [np.asarray(points[name], dtype=float)[chosen] for name in _COLUMNS]
    for name, default in _VARIATIONS.items():
        given = points.get(name)
        columns.append(np.full(chosen.size, default) if given is None else np.asarray(given, type(default))[chosen])
    return Accesses(*columns)


def _store(result: dict[str, np.ndarray], chosen: np.ndarray, values: dict[str, np.ndarray]) -> None:
    unknown = values["not_identified"] != ""
    if np.any(unknown):
        for name in _NUMBERS:
            values[name] = np.where(unknown, np.nan, values[name])
        values["extrapolated"] = values["extrapolated"] | unknown
    for name, value in values.items():
        result[name][chosen] = value


def _pure(profile: Profile, operation: str, pattern: str, points: Accesses) -> dict[str, np.ndarray]:
    """One operation and pattern, shape (m,)."""
    apart = None
    if not points.plain:
        apart, threads, dimms = on_separate_dimms(points)
        points = replace(points, threads=threads, dimms=dimms)
    outcome = _plain(profile, operation, pattern, points.columns())
    if apart is not None:
        outcome = vary(profile, operation, pattern, points, outcome)
    parameters = profile.parameters[operation]
    joined = law.join_bounds(parameters, outcome.issue_mib_s, outcome.media_mib_s)
    bandwidth = joined * outcome.correction / outcome.time_factor
    latency = outcome.time_factor * _latency(profile, operation, pattern, points, joined * outcome.correction, outcome)
    result = {
        "bandwidth_mib_s": bandwidth,
        "log_half_width": outcome.log_half_width,
        "effective_write_ratio": _write_ratio(parameters, operation, pattern, points),
        "latency_ns": latency,
        "latency_p99_ns": p99_latency_ns(profile, operation, pattern, points.access_size_bytes, latency),
        "extrapolated": outcome.extrapolated,
        "not_identified": outcome.missing,
    }
    if apart is not None:
        result["bandwidth_mib_s"] = bandwidth * apart
        result["extrapolated"] = outcome.extrapolated | (apart > 1)
    nothing = np.zeros(bandwidth.shape)
    sides = (result["bandwidth_mib_s"], nothing) if operation == "load" else (nothing, result["bandwidth_mib_s"])
    return result | dict(zip(("read_bandwidth_mib_s", "write_bandwidth_mib_s"), sides, strict=True))


def _plain(profile: Profile, operation: str, pattern: str, at: tuple[np.ndarray, ...]) -> Outcome:
    """The sweep's accesses; `at` holds access size, threads, DIMMs and power, shape (m,) each."""
    distance = distance_octaves(profile.fitted_range[operation], pattern, *at)
    issue, media = plain_bounds(profile.parameters[operation], pattern, at)
    correction, half = np.ones(issue.shape), np.full(issue.shape, np.nan)
    if profile.residual:
        cells = profile.residual["operations"].get(operation, [])
        correction = np.exp(np.where(distance > 0, 0.0, log_correction(cells, pattern, *at)))
    if profile.intervals:
        half = log_half_width(profile.intervals, operation, pattern, *at, distance)
    missing = np.full(issue.shape, "", dtype=object)
    return Outcome(issue, media, correction, half, distance > 0, np.ones(issue.shape), missing)


def _write_ratio(parameters: Mapping[str, float], operation: str, pattern: str, points: Accesses) -> np.ndarray:
    """Bytes written over bytes that the media write; NaN for reads. A strided write is a random one to the media."""
    size, threads, dimms, power_w = points.columns()
    if operation == "load":
        return np.full(size.shape, np.nan)
    random = (points.stride_bytes > 0) | (pattern == "random")
    return 1.0 / amplification(parameters, random, size, threads, dimms, power_factor(parameters, power_w))


def _latency(
    profile: Profile, operation: str, pattern: str, points: Accesses, bandwidth: np.ndarray, outcome: Outcome
) -> np.ndarray:
    """Latency from the near node; NaN where the profile does not know the idle latency or the one under load."""

    def at(of: str) -> np.ndarray:
        if (operation, of) not in profile.idle_latency_ns or operation not in profile.queue_line_ns:
            return np.full(bandwidth.shape, np.nan)
        size, threads, *_ = points.columns()
        return access_latency_ns(profile, operation, of, size, threads, bandwidth, bandwidth / outcome.media_mib_s)

    # No two strided accesses share a media line: each waits as a random one does.
    strided = points.stride_bytes > 0
    return np.where(strided, at("random"), at(pattern)) if np.any(strided) else at(pattern)


def _mixed(
    profile: Profile, write_operation: str, pattern: str, points: Mapping[str, np.ndarray], chosen: np.ndarray
) -> dict[str, np.ndarray]:
    """Reads and writes of one size together: what all threads would read, and write, shared by media time."""
    readers = np.asarray(points["read_threads"], dtype=float)[chosen]
    writers = np.asarray(points["write_threads"], dtype=float)[chosen]
    at = replace(_at(points, chosen), threads=readers + writers)
    reads, writes = (_pure(profile, operation, pattern, at) for operation in ("load", write_operation))
    mix = (profile.effects or {}).get(MIXES, {}).get("load")
    interference = mix["parameters"]["interference"] if mix else 0.0
    read, write = mixed_bandwidth_mib_s(
        readers, writers, reads["bandwidth_mib_s"], writes["bandwidth_mib_s"], interference
    )
    reading, writing = readers > 0, writers > 0
    weight = read / (read + write)
    half = weight * reads["log_half_width"] + (1.0 - weight) * writes["log_half_width"]
    own = mix["log_half_width"][0] if mix else MIX_LOG_HALF_WIDTH
    share = readers / (readers + writers)
    slowed = np.where(reading, share * reads["bandwidth_mib_s"] / np.where(reading, read, 1.0), 1.0)
    return {
        "bandwidth_mib_s": read + write,
        "read_bandwidth_mib_s": read,
        "write_bandwidth_mib_s": write,
        "log_half_width": np.hypot(half, np.where(reading & writing, own, 0.0)),
        "effective_write_ratio": np.where(writing, writes["effective_write_ratio"], np.nan),
        "latency_ns": _of_threads(share, slowed * reads["latency_ns"], writes["latency_ns"]),
        "latency_p99_ns": _slower(share, slowed * reads["latency_p99_ns"], writes["latency_p99_ns"]),
        "extrapolated": (reading & reads["extrapolated"]) | (writing & writes["extrapolated"]),
        "not_identified": np.where(
            reading & (reads["not_identified"] != ""),
            reads["not_identified"],
            np.where(writing, writes["not_identified"], ""),
        ),
    }


def _of_threads(share: np.ndarray, reads_ns: np.ndarray, writes_ns: np.ndarray) -> np.ndarray:
    """Mean over the threads: what benchmarks with reading and writing threads state."""
    return np.where(share > 0, share * reads_ns, 0.0) + np.where(share < 1, (1.0 - share) * writes_ns, 0.0)


def _slower(share: np.ndarray, reads_ns: np.ndarray, writes_ns: np.ndarray) -> np.ndarray:
    """The larger 99th percentile, of those sides of a mix that have a hundredth of the threads or more."""
    reads_ns = np.where(share >= 0.01, reads_ns, -np.inf)
    return np.maximum(reads_ns, np.where(share <= 0.99, writes_ns, -np.inf))
