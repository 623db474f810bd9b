"""Predictions for points of one operation and pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_effects import having, plain_bounds, vary
from pmtwin.sim.device.access_points import AccessPoints, LawColumns, Outcome, on_separate_dimms
from pmtwin.sim.device.intervals import distance_octaves, log_half_width
from pmtwin.sim.device.latency import probe_latency_ns
from pmtwin.sim.device.latency_intervals import access_bounds_ns, probe_bounds_ns, time_bounds_ns
from pmtwin.sim.device.offered import busy_threads, time_per_access_ns
from pmtwin.sim.device.power import power_factor
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.reads_behind_writes import read_behind_writes_ns
from pmtwin.sim.device.residual import log_correction, log_deviation
from pmtwin.sim.device.write_combining import amplification


@dataclass
class PurePrediction:
    """Predictions of one operation, for all sets of DIMMs together; shape (m,) each.

    Args:
        reachable_mib_s: bandwidth of the same threads with unlimited offered load.
        issue_mib_s, media_mib_s: bounds of the cores and of the media.
        utilisation: utilisation of the media, 0 to 1.
        time_factor: time of an access, relative to the local node.
        latency_ns: latency of an access.
        read_latency_ns: latency of one dependent read among these accesses; among writes, it queues behind them.
        time_per_access_ns: time of a thread per access, by Little's law.
        latency_bounds_ns, read_latency_bounds_ns, time_per_access_bounds_ns: ends of their 90 % intervals, shape
            (2, m); NaN without an interval. All times are NaN where none were asked for.
        missing: effect that the profile does not identify, or "".
    """

    bandwidth_mib_s: np.ndarray
    reachable_mib_s: np.ndarray
    issue_mib_s: np.ndarray
    media_mib_s: np.ndarray
    utilisation: np.ndarray
    time_factor: np.ndarray
    log_half_width: np.ndarray
    effective_write_ratio: np.ndarray
    latency_ns: np.ndarray
    read_latency_ns: np.ndarray
    time_per_access_ns: np.ndarray
    latency_bounds_ns: np.ndarray
    read_latency_bounds_ns: np.ndarray
    time_per_access_bounds_ns: np.ndarray
    extrapolated: np.ndarray
    missing: np.ndarray


def predict_pure(
    profile: Profile, operation: str, pattern: str, points: AccessPoints, latencies: bool = True
) -> PurePrediction:
    """Prediction of one operation and pattern, shape (m,); `latencies`: whether the times of accesses are in it."""
    points = _single_sets(points)
    sets, outcome = points.sets, outcome_of(profile, operation, pattern, points)
    parameters, slower = profile.parameters[operation], outcome.time_factor
    bandwidth = law.join_bounds(parameters, outcome.issue_mib_s, outcome.media_mib_s) * outcome.correction
    issue, media, reachable, offered = outcome.issue_mib_s * outcome.correction, outcome.media_mib_s, bandwidth, None
    if np.any(points.limited):
        offered = points.offered_mib_s * slower
        reachable, media = _limited(profile, operation, pattern, points, bandwidth, issue, media, offered)
        bandwidth = np.minimum(reachable, offered)
    utilisation, half = bandwidth / media, outcome.log_half_width
    if latencies:
        load = _Load(bandwidth, reachable, issue, media, offered, utilisation, half)
        times = [time * slower for time in _times(profile, operation, pattern, points, load)]
    else:
        unknown = np.full((2, *bandwidth.shape), np.nan)
        times = [*(3 * [unknown[0]]), *(3 * [unknown])]
    return PurePrediction(
        bandwidth_mib_s=bandwidth * sets / slower,
        reachable_mib_s=reachable * sets / slower,
        issue_mib_s=issue * sets / slower,
        media_mib_s=outcome.media_mib_s * outcome.correction * sets / slower,
        utilisation=utilisation,
        time_factor=slower,
        log_half_width=half,
        effective_write_ratio=_write_ratio(parameters, operation, pattern, points),
        latency_ns=times[0],
        read_latency_ns=times[1],
        time_per_access_ns=times[2],
        latency_bounds_ns=times[3],
        read_latency_bounds_ns=times[4],
        time_per_access_bounds_ns=times[5],
        extrapolated=outcome.extrapolated | (sets > 1.0),
        missing=outcome.missing,
    )


class _Load(NamedTuple):
    """Load of one set of DIMMs, as `PurePrediction` has it, without the effects on the time of an access; shape (m,).

    Fields:
        offered_mib_s: None if no point is limited.
    """

    bandwidth_mib_s: np.ndarray
    reachable_mib_s: np.ndarray
    issue_mib_s: np.ndarray
    media_mib_s: np.ndarray
    offered_mib_s: np.ndarray | None
    utilisation: np.ndarray
    log_half_width: np.ndarray


def _times(profile: Profile, operation: str, pattern: str, points: AccessPoints, load: _Load) -> tuple[np.ndarray, ...]:
    """Latency of an access and of a dependent read, time per access, and the ends of their intervals, in ns."""
    bandwidth, reachable, issue, media, offered, utilisation, half = load
    access_ns = time_per_access_ns(points.threads, points.access_size_bytes, bandwidth, issue, offered)
    probe = probe_latency_ns(profile, operation, pattern, points, utilisation)
    latency_ns = np.maximum(probe, access_ns)  # with saturated media, Little's law gives the latency
    time_bounds = time_bounds_ns(points.threads, points.access_size_bytes, reachable, issue, offered, half)
    probe_bounds = probe_bounds_ns(profile, operation, pattern, points, bandwidth, media, half)
    latency_bounds = access_bounds_ns(probe, probe_bounds, time_bounds)
    read, read_bounds = latency_ns, latency_bounds
    if operation != "load":
        writer_load = ((points, points), utilisation, half, bandwidth < reachable)
        read, read_bounds = read_behind_writes_ns(profile, operation, pattern, *writer_load)
    return latency_ns, read, access_ns, latency_bounds, read_bounds, time_bounds


def busy_media_mib_s(
    profile: Profile, operation: str, pattern: str, points: AccessPoints, busy: np.ndarray
) -> np.ndarray:
    """Media bound in MiB/s if only `busy` of the threads contend, shape (m,)."""
    points = _single_sets(points)
    outcome = outcome_of(profile, operation, pattern, replace(points, threads=busy / points.sets))
    return outcome.media_mib_s * points.sets / outcome.time_factor


def _single_sets(points: AccessPoints) -> AccessPoints:
    """The points on one set of DIMMs: DIMMs that are not interleaved are sets of one."""
    if points.plain:
        return points
    sets, threads, dimms = on_separate_dimms(points)
    return replace(points, threads=threads, dimms=dimms, offered_mib_s=points.offered_mib_s / sets, sets=sets)


def outcome_of(profile: Profile, operation: str, pattern: str, points: AccessPoints) -> Outcome:
    """Bounds, correction and interval of points on one set of DIMMs, with all effects."""
    outcome = _plain(profile, operation, pattern, points.law_columns())
    return outcome if points.plain else vary(profile, operation, pattern, points, outcome)


def _plain(profile: Profile, operation: str, pattern: str, columns: LawColumns) -> Outcome:
    """Bounds, correction and interval of plain accesses, as those of the sweep."""
    distance = distance_octaves(profile.fitted_range[operation], pattern, *columns)
    issue, media = plain_bounds(profile.parameters[operation], pattern, columns)
    correction, half = np.ones(issue.shape), np.full(issue.shape, np.nan)
    if profile.residual:
        cells = profile.residual["operations"].get(operation, [])
        correction = np.exp(np.where(distance > 0, 0.0, log_correction(cells, pattern, *columns)))
        if deviations := profile.residual.get("deviations"):
            size, threads, _, power_w = columns
            cells = deviations.get(operation, [])
            correction = correction * np.exp(log_deviation(cells, pattern, size, threads, power_w))
    if profile.intervals:
        half = log_half_width(profile.intervals, operation, pattern, *columns, distance)
    missing = np.full(issue.shape, "", dtype=object)
    return Outcome(issue, media, correction, half, distance > 0, np.ones(issue.shape), missing)


def _limited(
    profile: Profile,
    operation: str,
    pattern: str,
    points: AccessPoints,
    unlimited: np.ndarray,
    issue: np.ndarray,
    media: np.ndarray,
    offered: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(reachable bandwidth, media bound) in MiB/s of one set of DIMMs, if only the busy threads contend."""
    reachable, media = unlimited.copy(), media.copy()
    limited = np.flatnonzero(offered < issue)
    threads = busy_threads(points.threads[limited], issue[limited], offered[limited])
    busy = outcome_of(profile, operation, pattern, replace(points.take(limited), threads=threads))
    reached = law.join_bounds(profile.parameters[operation], offered[limited], busy.media_mib_s)
    reachable[limited] = np.maximum(unlimited[limited], reached)
    media[limited] = busy.media_mib_s
    return reachable, media


def _write_ratio(parameters: Mapping[str, float], operation: str, pattern: str, points: AccessPoints) -> np.ndarray:
    """Requested bytes over bytes that the media write; NaN for reads. For the media, strided writes are random ones."""
    size, threads, dimms, power_w = points.law_columns()
    if operation == "load":
        return np.full(size.shape, np.nan)
    random = having(points, "as_random") | (pattern == "random")
    return 1.0 / amplification(parameters, random, size, threads, dimms, power_factor(parameters, power_w))
