"""Latency of one dependent read while threads write: at its module it queues behind the written lines.

The writers are a closed system: no more lines wait at a module than the writers have under way, so that the queue is
finite. By Bard and Schweitzer's approximation of mean value analysis (Schweitzer, "Approximate analysis of multiclass
closed networks of queues", 1979), of K lines under way, u / (1 - u (K - 1) / K) are at media with utilisation u. A read
joins the queue when it opens a media line: each random read, and the sequential read of a line's first bytes.

The number of lines under way was measured with 15 writers on six modules only (FAST'20, figure 6). Two explanations
fit: about four lines for each writer, or a queue of ten lines in each module. For other numbers of writers per module
the prediction lies between the two, and the interval spans both (docs/design.md, "Reads behind writes").
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.access_effects import having
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.effects.effect import UNMEASURED_LOG_HALF_WIDTH
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES, MIB
from pmtwin.sim.device.latency import probe_latency_ns
from pmtwin.sim.device.profile import Profile

POSTED_LINES = 4.0
LINES_OF_A_WRITER = {"store_clwb": 1.0}
"""A thread waits for a flushed store: the time to issue a line is nearly the idle latency."""

LINES_OF_A_MODULE = 10.0

MEASURED_WAITS = CACHE_LINE_BYTES / MEDIA_LINE_BYTES
"""Waits of a sequential 64 B read, which were measured; that other reads wait more often is derived."""


def lines_waiting(utilisation: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Number of lines at the media of a module, of `lines` under way; `utilisation`: that of the media, 0 to 1."""
    rho = np.clip(utilisation, 0.0, 1.0)
    return rho / (1.0 - rho * (1.0 - 1.0 / np.maximum(lines, 1.0)))


def read_behind_writes_ns(
    profile: Profile,
    operation: str,
    pattern: str,
    points: tuple[AccessPoints, AccessPoints],
    utilisation: np.ndarray,
    log_half_width: np.ndarray,
    held_back: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(latency, interval) of one dependent read from the local node beside writers, in ns: shapes (m,) and (2, m).

    The latency is NaN if it is not known; the interval also if the profile states no error of latencies. The interval
    spans both explanations of the lines under way, the errors of measured latencies and, for reads that wait more often
    than the measured ones, a further error.

    Args:
        operation: operation of the writers.
        pattern: pattern of the read.
        points: the read and the writes.
        utilisation: utilisation of the media.
        log_half_width: half-width of the writers' bandwidth.
        held_back: whether the writers offer less than the device can serve, so that a slower device is busier.
    """
    lines_under_way, waits = _lines_under_way(operation, points[1]), _waits(pattern, points[0])
    idle_ns = probe_latency_ns(profile, "load", pattern, points[0], np.zeros(utilisation.shape))
    line_ns = _line_ns(profile, operation)
    latency = idle_ns + waits * line_ns * lines_waiting(utilisation, np.sqrt(lines_under_way[0] * lines_under_way[1]))
    stated: Mapping = (profile.intervals or {}).get("latency", {}).get("load", {})
    error = np.where(having(points[0], "own_latency"), np.nan, max(stated.values(), default=np.nan))
    wait_error = np.hypot(error, np.where(waits > MEASURED_WAITS, UNMEASURED_LOG_HALF_WIDTH, 0.0))
    fewest, most = np.minimum(*lines_under_way), np.maximum(*lines_under_way)
    bounds = []
    for end, lines, count in ((-1.0, fewest, MEASURED_WAITS), (1.0, most, waits)):
        busy = utilisation * np.where(held_back, np.exp(end * log_half_width), 1.0)
        wait_ns = count * line_ns * lines_waiting(busy, lines)
        bounds.append((idle_ns + wait_ns * (np.exp(wait_error) if end > 0 else 1.0)) * np.exp(end * error))
    return latency, np.array(bounds)


def _lines_under_way(operation: str, writes: AccessPoints) -> tuple[np.ndarray, np.ndarray]:
    """Lines under way at each module, by both explanations."""
    by_writers = LINES_OF_A_WRITER.get(operation, POSTED_LINES) * writes.threads / writes.dimms
    return by_writers, np.full(by_writers.shape, LINES_OF_A_MODULE)


def _line_ns(profile: Profile, operation: str) -> float:
    """Time in ns in which the media of a module write one line, without write amplification."""
    return MEDIA_LINE_BYTES / profile.parameters[operation]["media_mib_s"] * (1e9 / MIB)


def _waits(pattern: str, reads: AccessPoints) -> np.ndarray:
    """Number of waits of one read; the lines of a longer read are requested together."""
    scattered = having(reads, "as_random") | (pattern == "random")
    return np.where(scattered, 1.0, np.minimum(reads.access_size_bytes / MEDIA_LINE_BYTES, 1.0))
