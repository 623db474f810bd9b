"""Latency of one dependent read beside threads that write: it queues at its module behind the lines written there.

The writers are a closed system: no more lines wait at a module than they keep under way, so that the queue has no
pole. By Bard and Schweitzer's approximation of mean value analysis (Schweitzer, "Approximate analysis of multiclass
closed networks of queues", 1979), K lines under way whose media are used for a share u of the time leave
u / (1 - u (K - 1) / K) at the media. A read joins behind them whenever it opens a media line: each random read, and the
sequential read of each line's first bytes.

The number of lines under way was measured beside 15 writers of six modules only (FAST'20, figure 6). Two explanations
fit: about four lines for each writer, or a queue of ten lines in each module. For other numbers of writers to a module
the prediction lies between them, and the interval spans both (docs/design.md, "Reads behind writes").
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
"""A flushed store is waited for: the time that it takes to issue a line is nearly its idle latency."""

LINES_OF_A_MODULE = 10.0

MEASURED_WAITS = CACHE_LINE_BYTES / MEDIA_LINE_BYTES
"""Waits of a sequential 64 B read, those measured; that others wait more often follows from the line, not from data."""


def lines_waiting(utilisation: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Lines at the media of a module, of `lines` under way, by the media's utilisation (0 to 1)."""
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
    """Latency in ns of one dependent read beside the writers, shape (m,), and its interval's ends, shape (2, m).

    From the local node; NaN where it is not known, the ends too where no latency under load was measured. The interval
    spans the fewer and the more lines of the two explanations. The errors of `predict` on measured latencies widen it,
    and so do reads that wait more often than the measured ones.

    Args:
        operation: operation of the writers.
        pattern: pattern of the read.
        points: the read and the writes.
        utilisation: utilisation of the media.
        log_half_width: half-width of the writers' bandwidth.
        held_back: True where the writers offer less than the device takes, so that a slower one is busier.
    """
    rivals, waits = _lines_under_way(operation, points[1]), _waits(pattern, points[0])
    idle_ns = probe_latency_ns(profile, "load", pattern, points[0], np.zeros(utilisation.shape))
    line_ns = _line_ns(profile, operation)
    latency = idle_ns + waits * line_ns * lines_waiting(utilisation, np.sqrt(rivals[0] * rivals[1]))
    known: Mapping = (profile.intervals or {}).get("latency", {}).get("load", {})
    missed = np.where(having(points[0], "own_latency"), np.nan, max(known.values(), default=np.nan))
    more = np.hypot(missed, np.where(waits > MEASURED_WAITS, UNMEASURED_LOG_HALF_WIDTH, 0.0))
    bounds = []
    for end, lines, often in ((-1.0, np.minimum(*rivals), MEASURED_WAITS), (1.0, np.maximum(*rivals), waits)):
        busy = utilisation * np.where(held_back, np.exp(end * log_half_width), 1.0)
        wait_ns = often * line_ns * lines_waiting(busy, lines)
        bounds.append((idle_ns + wait_ns * (np.exp(more) if end > 0 else 1.0)) * np.exp(end * missed))
    return latency, np.array(bounds)


def _lines_under_way(operation: str, writes: AccessPoints) -> tuple[np.ndarray, np.ndarray]:
    """Lines of each module by either explanation."""
    each_writer = LINES_OF_A_WRITER.get(operation, POSTED_LINES) * writes.threads / writes.dimms
    return each_writer, np.full(each_writer.shape, LINES_OF_A_MODULE)


def _line_ns(profile: Profile, operation: str) -> float:
    """Time in ns for which a module's media write one line; write amplification means more lines, not longer ones."""
    return MEDIA_LINE_BYTES / profile.parameters[operation]["media_mib_s"] * (1e9 / MIB)


def _waits(pattern: str, reads: AccessPoints) -> np.ndarray:
    """Waits of one read; the lines of a longer one are asked for together."""
    scattered = having(reads, "as_random") | (pattern == "random")
    return np.where(scattered, 1.0, np.minimum(reads.access_size_bytes / MEDIA_LINE_BYTES, 1.0))
