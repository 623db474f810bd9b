"""Predictions for many points at once: bandwidth with its 90 % interval, latency, and whether it is extrapolated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import singledispatch
from itertools import product

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.latency import p99_latency_ns
from pmtwin.sim.device.mixed_operations import predict_mixed
from pmtwin.sim.device.points import MIXED, OF_SIDES, SIDES
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import require_measured
from pmtwin.sim.device.single_operation import predict_pure
from pmtwin.sim.errors import InputError

_COLUMNS = ("access_size_bytes", "threads", "dimms", "power_w")
_OPTIONAL = {"interleaved": True, "offered_mib_s": np.inf}
_NUMBERS: tuple[str, ...] = (
    "bandwidth_mib_s",
    "reachable_mib_s",
    "read_bandwidth_mib_s",
    "write_bandwidth_mib_s",
    "log_half_width",
)
_NUMBERS += ("effective_write_ratio", "latency_ns", "latency_p99_ns", "read_latency_ns", "write_latency_ns")
_NUMBERS += ("time_per_access_ns",)
_TIMES = ("latency", "read_latency", "write_latency", "time_per_access")
_BOUNDS = tuple(f"{name}_bounds_ns" for name in _TIMES)


@singledispatch
def predict(profile: Profile, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Predict points.

    The function is generic over the class of the profile: a device whose bandwidth is stated instead of fitted
    registers its own implementation.

    Args:
        points: columns of one shape (n,), as `pmtwin.sim.device.points.parse_points` returns them: `operation`,
            `pattern`, `access_size_bytes`, `threads`, `dimms`, `power_w`; for mixes `read_threads`, `write_threads`,
            `write_operation`. Optional: size and pattern of one side of a mix (`read_access_size_bytes`,
            `write_access_size_bytes`, 0: that of the point; `read_pattern`, `write_pattern`, "": that of the point);
            the columns of effects (`stride_bytes`, `fence_interval_bytes`, `remote`, ...; 0: no effect); `interleaved`
            (bool); `offered_mib_s` (infinite: unlimited).

    Returns:
        Arrays of shape (n,): `bandwidth_mib_s`; `bandwidth_low_mib_s` and `bandwidth_high_mib_s` (90 % interval of the
        median of a new configuration; NaN if the profile has no intervals); `read_bandwidth_mib_s` and
        `write_bandwidth_mib_s`; `effective_write_ratio` (NaN without writes); `latency_ns` (mean over the threads);
        `latency_p99_ns` (of single accesses, without a hot spot); `read_latency_ns` and `write_latency_ns` (of one read
        or write among these accesses; NaN without a write operation); `time_per_access_ns` (by Little's law; mean over
        the threads); the ends of the 90 % intervals of these times (`latency_low_ns`, `latency_high_ns`,
        `read_latency_low_ns`, ...; NaN if the profile does not state an error); `extrapolated`; and `not_identified`,
        the effect that the profile's data do not identify, or "". All numbers of such a point are NaN.

    Raises:
        InputError: an operation or pattern that the profile was not fitted to.
    """
    return _predicted(profile, points)


def predict_bandwidth(profile: Profile, points: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The bandwidths of `predict` for a fitted profile, without latencies and times, which are NaN: it takes less time.

    Arguments and errors are those of `predict`.
    """
    return _predicted(profile, points, latencies=False)


def _predicted(profile: Profile, points: Mapping[str, np.ndarray], latencies: bool = True) -> dict[str, np.ndarray]:
    points = _unmixed(points)
    n = len(points["operation"])
    groups = list(_groups(profile, points))
    if sum(chosen.size for *_, chosen in groups) < n or any(is_mix for _, _, is_mix, _ in groups):
        _check_operations(profile, points)
    result = {name: np.full(n, np.nan) for name in _NUMBERS} | {name: np.full((2, n), np.nan) for name in _BOUNDS}
    result["extrapolated"] = np.zeros(n, dtype=bool)
    result["not_identified"] = np.full(n, "", dtype=object)
    for operation, patterns, is_mix, chosen in groups:
        needed = ("load", operation) if is_mix else (operation,)
        for name, pattern in zip(needed, patterns, strict=True):
            require_measured(profile, name, pattern)
        if is_mix:
            readers, writers = (
                np.asarray(points[name], dtype=float)[chosen] for name in ("read_threads", "write_threads")
            )
            read, write = (_at(_of_side(points, side), chosen) for side in SIDES)
            read_pattern, write_pattern = patterns
            sides = (read_pattern, write_pattern), (read, write), readers, writers
            _store(result, chosen, predict_mixed(profile, operation, *sides, latencies))
        else:
            (pattern,) = patterns
            _store(result, chosen, _pure(profile, operation, pattern, _at(points, chosen), latencies))
    half, reachable, reached = result.pop("log_half_width"), result.pop("reachable_mib_s"), result["bandwidth_mib_s"]
    # The reachable bandwidth is uncertain, the offered one is not.
    low, high, limited = reachable * np.exp(-half), reachable * np.exp(half), reached < reachable
    result["bandwidth_low_mib_s"] = np.where(limited, np.minimum(reached, low), low)
    result["bandwidth_high_mib_s"] = np.where(limited & np.isfinite(high), reached, high)
    for name in _TIMES:
        result[f"{name}_low_ns"], result[f"{name}_high_ns"] = result.pop(f"{name}_bounds_ns")
    return result


def _unmixed(points: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """The points; a mix with readers only or writers only becomes an access of one operation."""
    operation = np.asarray(points["operation"])
    mixed = operation == MIXED
    if not np.any(mixed):
        return points
    readers, writers = (np.asarray(points[name], dtype=float) for name in ("read_threads", "write_threads"))
    one_sided = {"read": mixed & (writers == 0), "write": mixed & (readers == 0)}
    operation = np.where(one_sided["read"], "load", operation)
    operation = np.where(one_sided["write"], points["write_operation"], operation)
    threads = readers + writers
    if "threads" in points:
        threads = np.where(mixed, threads, np.asarray(points["threads"], dtype=float))
    changed = {"operation": operation, "threads": threads}
    for side, chosen in one_sided.items():
        single = _of_side(points, side)
        for name in OF_SIDES:
            if single[name] is not points[name]:
                changed[name] = np.where(chosen, single[name], changed.get(name, points[name]))
    return {**points, **changed}


def _of_side(points: Mapping[str, np.ndarray], side: str) -> Mapping[str, np.ndarray]:
    """The points with the size and pattern of one side of mixes, if that is stated."""
    columns = {}
    for name, empty in OF_SIDES.items():
        values = points.get(f"{side}_{name}")
        if values is not None and np.any(np.asarray(values) != empty):
            columns[name] = np.where(np.asarray(values) != empty, values, points[name])
    return {**points, **columns} if columns else points


def _check_operations(profile: Profile, points: Mapping[str, np.ndarray]) -> None:
    requested = set(np.asarray(points["operation"]).tolist())
    if MIXED in requested:
        mixed = np.asarray(points["operation"]) == MIXED
        requested |= {"load", *np.unique(np.asarray(points["write_operation"])[mixed]).tolist()}
    known = ", ".join(profile.parameters)
    for operation in sorted(requested - {MIXED, ""}):
        if operation not in profile.parameters:
            raise InputError("operation", operation, f"what profile {profile.name} was fitted to: {known}")


def _groups(
    profile: Profile, points: Mapping[str, np.ndarray]
) -> Iterator[tuple[str, tuple[str, ...], bool, np.ndarray]]:
    """(operation, patterns, whether it is the write operation of a mix, indices of its points), for groups with points.

    The patterns are (reads, writes) of a mix, else the single one of the accesses.
    """
    operation, mixed = np.asarray(points["operation"]), np.asarray(points["operation"]) == MIXED
    patterns: dict[tuple[str, ...], np.ndarray] = {
        (pattern,): np.asarray(points["pattern"]) == pattern for pattern in law.PATTERNS
    }
    pairs: dict[tuple[str, ...], np.ndarray] = {}
    if np.any(mixed):
        reads, writes = (np.asarray(_of_side(points, side)["pattern"]) for side in SIDES)
        pairs = {pair: (reads == pair[0]) & (writes == pair[1]) for pair in product(law.PATTERNS, repeat=2)}
    for name in profile.parameters:
        members = [(operation == name, patterns, False)]
        if np.any(mixed):
            members.append((mixed & (np.asarray(points["write_operation"]) == name), pairs, True))
        for member, masks, is_mix in members:
            for key, mask in masks.items():
                chosen = np.flatnonzero(member & mask)
                if chosen.size:
                    yield name, key, is_mix, chosen


def _at(points: Mapping[str, np.ndarray], chosen: np.ndarray) -> AccessPoints:
    columns = {name: np.asarray(points[name], dtype=float)[chosen] for name in _COLUMNS}
    for name, default in _OPTIONAL.items():
        values = points.get(name)
        columns[name] = np.full(chosen.size, default) if values is None else np.asarray(values, type(default))[chosen]
    requested = [effect.column for effect in varied() if points.get(effect.column.key) is not None]
    effects = {column.key: np.asarray(points[column.key], float)[chosen] for column in requested}
    return AccessPoints(**columns, sets=np.ones(chosen.size), varied=effects)


def _store(result: dict[str, np.ndarray], chosen: np.ndarray, values: dict[str, np.ndarray]) -> None:
    unknown = values["not_identified"] != ""
    if np.any(unknown):
        for name in values.keys() & {*_NUMBERS, *_BOUNDS}:
            values[name] = np.where(unknown, np.nan, values[name])
        values["extrapolated"] = values["extrapolated"] | unknown
    for name, value in values.items():
        result[name][..., chosen] = value


def _pure(
    profile: Profile, operation: str, pattern: str, points: AccessPoints, latencies: bool
) -> dict[str, np.ndarray]:
    pure = predict_pure(profile, operation, pattern, points, latencies)
    nothing, reads = np.zeros(pure.bandwidth_mib_s.shape), operation == "load"
    bandwidth = {
        "bandwidth_mib_s": pure.bandwidth_mib_s,
        "reachable_mib_s": pure.reachable_mib_s,
        "read_bandwidth_mib_s": pure.bandwidth_mib_s if reads else nothing,
        "write_bandwidth_mib_s": nothing if reads else pure.bandwidth_mib_s,
        "log_half_width": pure.log_half_width,
        "effective_write_ratio": pure.effective_write_ratio,
        "extrapolated": pure.extrapolated,
        "not_identified": pure.missing,
    }
    if not latencies:
        return bandwidth
    unknown = np.full(nothing.shape, np.nan)
    return bandwidth | {
        "latency_ns": pure.latency_ns,
        "latency_p99_ns": p99_latency_ns(profile, operation, pattern, points.access_size_bytes, pure.latency_ns),
        "read_latency_ns": pure.read_latency_ns,
        "write_latency_ns": unknown if reads else pure.latency_ns,
        "time_per_access_ns": pure.time_per_access_ns,
        "latency_bounds_ns": pure.latency_bounds_ns,
        "read_latency_bounds_ns": pure.read_latency_bounds_ns,
        "write_latency_bounds_ns": np.full(pure.latency_bounds_ns.shape, np.nan) if reads else pure.latency_bounds_ns,
        "time_per_access_bounds_ns": pure.time_per_access_bounds_ns,
    }
