"""Predictions for mixes of reads and writes, each of its own size and pattern, for `pmtwin.sim.device.prediction`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.effects.effect import UNMEASURED_LOG_HALF_WIDTH, outside
from pmtwin.sim.device.effects.media_queue import QUEUE_LOG_HALF_WIDTH
from pmtwin.sim.device.effects.mixes import Mixes
from pmtwin.sim.device.latency import p99_latency_ns, probe_latency_ns
from pmtwin.sim.device.latency_intervals import ENDS, probe_bounds_ns
from pmtwin.sim.device.mix_sharing import Shared, share_media
from pmtwin.sim.device.offered import busy_threads, time_per_access_ns
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.reads_behind_writes import read_behind_writes_ns
from pmtwin.sim.device.single_operation import PurePrediction, busy_media_mib_s, predict_pure


@dataclass
class _Side:
    """The readers or the writers of a mix, arrays of shape (m,).

    Args:
        pattern: pattern of its accesses.
        points: its accesses, with the number of threads of both sides together.
        share: its share of the threads.
        pure: prediction for all threads on this side.
        mixed_mib_s: its bandwidth in the mix.
    """

    operation: str
    pattern: str
    points: AccessPoints
    share: np.ndarray
    pure: PurePrediction
    mixed_mib_s: np.ndarray

    @property
    def present(self) -> np.ndarray:
        """Mask of the points with threads on this side."""
        return self.share > 0

    @property
    def slowed(self) -> np.ndarray:
        """Time of an access in the mix, over that with all threads on this side."""
        return self.share * self.pure.bandwidth_mib_s / np.where(self.present, self.mixed_mib_s, 1.0)


class _Load(NamedTuple):
    """Load of the media by both sides, arrays of shape (m,).

    Fields:
        reachable_mib_s: bandwidth with unlimited offered load.
        offered_share: offered over reachable bandwidth, at most 1.
        utilisation: utilisation of the media.
        half, mix_half: half-width of log bandwidth, and the part of it that mixing adds.
    """

    reachable_mib_s: np.ndarray
    offered_share: np.ndarray
    utilisation: np.ndarray
    half: np.ndarray
    mix_half: np.ndarray


def predict_mixed(
    profile: Profile,
    write_operation: str,
    patterns: tuple[str, str],
    points: tuple[AccessPoints, AccessPoints],
    readers: np.ndarray,
    writers: np.ndarray,
    latencies: bool = True,
) -> dict[str, np.ndarray]:
    """Prediction of mixes, from predictions for all threads reading and for all threads writing; shape (m,).

    Args:
        patterns, points: of the reads and of the writes. readers, writers: numbers of threads.
        latencies: whether latencies and times are in the prediction.
    """
    sides, shared = _sides(profile, write_operation, patterns, points, (readers, writers), latencies)
    both, measured = sides[0].present & sides[1].present, _measured(shared.measured, sides, alike=shared.alike)
    half, mix_half = _half_widths(sides, shared, both, measured)
    reachable = shared.read_mib_s + shared.write_mib_s
    offered_share = np.minimum(1.0, sides[0].points.offered_mib_s / reachable)
    bandwidth = {
        "bandwidth_mib_s": reachable * offered_share,
        "reachable_mib_s": reachable,
        "read_bandwidth_mib_s": shared.read_mib_s * offered_share,
        "write_bandwidth_mib_s": shared.write_mib_s * offered_share,
        "log_half_width": half,
        "effective_write_ratio": np.where(sides[1].present, sides[1].pure.effective_write_ratio, np.nan),
        "extrapolated": (both & ~measured) | np.any([side.present & side.pure.extrapolated for side in sides], axis=0),
        "not_identified": _not_identified(sides),
    }
    if not latencies:
        return bandwidth
    utilisation = _utilisation(profile, sides, offered_share, shared.utilisation)
    return bandwidth | {
        **_latencies(profile, sides, _Load(reachable, offered_share, utilisation, half, mix_half)),
        "time_per_access_ns": _thread_mean(sides, [_time_per_access_ns(side, offered_share) for side in sides]),
        "time_per_access_bounds_ns": _time_bounds_ns(sides, reachable, half),
    }


def _sides(
    profile: Profile,
    write_operation: str,
    patterns: tuple[str, str],
    points: tuple[AccessPoints, AccessPoints],
    counts: tuple[np.ndarray, np.ndarray],
    latencies: bool,
) -> tuple[tuple[_Side, _Side], Shared]:
    """(readers and writers, how they share the media).

    Args:
        counts: numbers of readers and writers; the others are those of `predict_mixed`.
    """
    threads = counts[0] + counts[1]
    reading, writing = (replace(side, threads=threads) for side in points)
    unlimited = np.full(threads.shape, np.inf)
    reads = predict_pure(profile, "load", patterns[0], replace(reading, offered_mib_s=unlimited), latencies)
    writes = predict_pure(profile, write_operation, patterns[1], replace(writing, offered_mib_s=unlimited), latencies)
    shared = share_media(profile, write_operation, patterns[1], (reading, writing), counts, (reads, writes))
    readers = _Side("load", patterns[0], reading, counts[0] / threads, reads, shared.read_mib_s)
    writers = _Side(write_operation, patterns[1], writing, counts[1] / threads, writes, shared.write_mib_s)
    return (readers, writers), shared


def _half_widths(
    sides: Sequence[_Side], shared: Shared, both: np.ndarray, measured: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(half-width of log bandwidth, part of it that mixing adds).

    Args:
        both: points with readers and writers. measured: points within the data.
    """
    mix_half = np.where(both, _mix_half_width(shared.measured, measured), 0.0)
    for change in shared.changes:
        mix_half = np.where(both & change.present, np.hypot(mix_half, change.log_half_width), mix_half)
    return np.hypot(_pure_half_width(sides), mix_half), mix_half


def _latencies(profile: Profile, sides: Sequence[_Side], load: _Load) -> dict[str, np.ndarray]:
    """Latencies of both sides, and their means over the threads."""
    latencies = [_latency_ns(profile, side, load) for side in sides]
    bounds = [_latency_bounds_ns(profile, side, load) for side in sides]
    if np.any(sides[1].present):
        latencies[0], bounds[0] = _behind_writers_ns(profile, sides, load, latencies[0], bounds[0])
    p99 = [
        p99_latency_ns(profile, side.operation, side.pattern, side.points.access_size_bytes, latency)
        for side, latency in zip(sides, latencies, strict=True)
    ]
    return {
        "latency_ns": _thread_mean(sides, latencies),
        "latency_p99_ns": _slowest(sides, p99),
        "read_latency_ns": latencies[0],
        "write_latency_ns": latencies[1],
        "latency_bounds_ns": _thread_mean(sides, bounds),
        "read_latency_bounds_ns": bounds[0],
        "write_latency_bounds_ns": bounds[1],
    }


def _not_identified(sides: Sequence[_Side]) -> np.ndarray:
    """Effect that the profile does not identify for the reads or else for the writes; "" if there is none."""
    reads, writes = (np.where(side.present, side.pure.missing, "") for side in sides)
    return np.where(reads != "", reads, writes)


def _utilisation(
    profile: Profile, sides: Sequence[_Side], offered_share: np.ndarray, utilisation: np.ndarray
) -> np.ndarray:
    """Utilisation of the media.

    Args:
        offered_share: offered over reachable bandwidth, at most 1.
        utilisation: utilisation with unlimited offered load.
    """
    limited = offered_share < 1.0
    if np.any(limited):
        utilisation = np.where(limited, _limited_utilisation(profile, sides, offered_share), utilisation)
    return utilisation


def _latency_ns(profile: Profile, side: _Side, load: _Load) -> np.ndarray:
    """Latency in ns of an access of one side; of one dependent access, if the side has no threads or pauses."""
    probe = probe_latency_ns(profile, side.operation, side.pattern, side.points, load.utilisation)
    probe = probe * side.pure.time_factor
    return np.where(side.present & (load.offered_share == 1.0), side.slowed * side.pure.latency_ns, probe)


def _latency_bounds_ns(profile: Profile, side: _Side, load: _Load) -> np.ndarray:
    """Ends of the interval of `_latency_ns`, shape (2, m)."""
    bounds = side.slowed * side.pure.latency_bounds_ns * np.exp(np.multiply.outer(ENDS, load.mix_half))
    probe = probe_bounds_ns(profile, side.operation, side.pattern, side.points, load.utilisation, 1.0, load.half)
    probe = probe * side.pure.time_factor
    falls_short = (
        load.reachable_mib_s * np.exp(-load.half) < side.points.offered_mib_s
    )  # a slow device may not reach the offered load
    limited = np.array([probe[0], np.where(side.present & falls_short, np.maximum(probe[1], bounds[1]), probe[1])])
    return np.where(side.present & (load.offered_share == 1.0), bounds, limited)


def _behind_writers_ns(
    profile: Profile, sides: Sequence[_Side], load: _Load, latency: np.ndarray, bounds: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Latency in ns of a read, and the ends of its interval; a read does not overtake the writes at its module.

    Args:
        latency, bounds: those by the readers' share of the media's time; ignored without readers.
    """
    reads, writes = sides
    writers = replace(writes.points, threads=writes.points.threads * writes.share)
    writer_load = ((reads.points, writers), load.utilisation, load.half, load.offered_share < 1.0)
    queued, ends = read_behind_writes_ns(profile, writes.operation, reads.pattern, *writer_load)
    queued, ends = queued * reads.pure.time_factor, ends * reads.pure.time_factor
    slower = writes.present & (~reads.present | (queued > latency))
    lowest = np.where(reads.present, bounds, 0.0)
    return np.where(slower, queued, latency), np.where(slower, np.fmax(ends, lowest), bounds)


def _limited_utilisation(profile: Profile, sides: Sequence[_Side], offered_share: np.ndarray) -> np.ndarray:
    """Utilisation of the media, if the threads pause so that only `offered_share` of the bandwidth remains."""
    busy = np.zeros(offered_share.shape)
    for side in sides:
        issue = np.where(side.present, side.share * side.pure.issue_mib_s, 1.0)
        busy += busy_threads(side.share * side.points.threads, issue, side.mixed_mib_s * offered_share)
    media = (busy_media_mib_s(profile, side.operation, side.pattern, side.points, busy) for side in sides)
    return sum(side.mixed_mib_s * offered_share / bound for side, bound in zip(sides, media, strict=True))


def _time_bounds_ns(sides: Sequence[_Side], reachable_mib_s: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Ends of the interval of the time per access, shape (2, m)."""
    bounds = []
    for end in ENDS:
        speed = np.exp(-end * half)
        offered_share = np.minimum(1.0, sides[0].points.offered_mib_s / (reachable_mib_s * speed))
        bounds.append(_thread_mean(sides, [_time_per_access_ns(side, offered_share, speed) for side in sides]))
    return np.array(bounds)


def _time_per_access_ns(side: _Side, offered_share: np.ndarray, speed: np.ndarray | float = 1.0) -> np.ndarray:
    bandwidth = np.where(side.present, side.mixed_mib_s * speed * offered_share, 1.0)
    issue = np.where(side.present, side.share * side.pure.issue_mib_s * speed, 1.0)
    offered = np.where(offered_share < 1.0, bandwidth, np.inf)
    threads, size = side.share * side.points.threads, side.points.access_size_bytes
    return time_per_access_ns(threads, size, bandwidth, issue, offered)


def _pure_half_width(sides: Sequence[_Side]) -> np.ndarray:
    """Mean half-width of both sides, weighted by the bytes that they move."""
    total = sum(side.mixed_mib_s for side in sides)
    parts = (np.where(side.present, side.mixed_mib_s / total * side.pure.log_half_width, 0.0) for side in sides)
    return sum(parts, np.zeros(()))


def _mix_half_width(mix: Mapping | None, measured: np.ndarray) -> np.ndarray:
    """Half-width that mixing adds; an assumed one for points without measured mixes."""
    half_width = mix["log_half_width"][0] if mix else QUEUE_LOG_HALF_WIDTH
    return np.where(measured, half_width, max(half_width, UNMEASURED_LOG_HALF_WIDTH))


def _measured(mix: Mapping | None, sides: Sequence[_Side], alike: bool) -> np.ndarray:
    """Mask of the points whose kind of mix is in the profile's data.

    Args:
        alike: whether the data have only mixes with one access size.
    """
    reads, writes = (side.points for side in sides)
    if mix is None or sides[0].pattern != sides[1].pattern:
        return np.zeros(reads.threads.shape, dtype=bool)
    special = ~reads.interleaved | (alike & (reads.access_size_bytes != writes.access_size_bytes))
    for points in (reads, writes):
        special = special | outside(mix, sides[0].pattern, {name: points.column(name) for name in Mixes.axes})
    for effect in varied():
        if not effect.in_mixes:
            special = special | reads.has(effect.column.key)
    return ~special


def _thread_mean(sides: Sequence[_Side], values: Sequence[np.ndarray]) -> np.ndarray:
    """Mean over the threads of both sides, as benchmarks of mixes report it."""
    parts = (np.where(side.present, side.share * value, 0.0) for side, value in zip(sides, values, strict=True))
    return sum(parts, np.zeros(()))


def _slowest(sides: Sequence[_Side], values: Sequence[np.ndarray]) -> np.ndarray:
    """The larger 99th percentile of the sides with at least a hundredth of the threads."""
    counted = [np.where(side.share >= 0.01, value, -np.inf) for side, value in zip(sides, values, strict=True)]
    return np.maximum(*counted)
