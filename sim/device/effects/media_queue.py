"""Readers and writers in one queue at the media, whose time they share; sizes and patterns of both may differ.

All lines wait equally long at the media, so that the share of each side is in proportion to its waiting lines: a closed
queueing network with one station (Denning and Buzen, "The operational analysis of queueing network models", 1978). A
reader's line-fill buffers hold 64 B each; a writer has a fixed number of media lines on their way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.effects.effect import Effect
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES, media_line_use
from pmtwin.sim.device.parameters import MEDIA_LINE

PARAMETERS = {"writer_bytes": "bytes that a writer of whole media lines keeps waiting, over those of a reader"}

TYPICAL_WRITER_BYTES = 0.9
"""Value where no mix was measured. Four machines of PerMA-Bench have 0.56, 0.74, 1.13 and 0.27
(`studies/unlike_mixes.py`)."""

QUEUE_LOG_HALF_WIDTH = 0.35
"""Half-width where no mix was measured. Assumed: nine in ten mixes of those machines are predicted within 0.33."""


@dataclass(frozen=True)
class Side:
    """The readers or the writers of m mixes; arrays have shape (m,).

    Args:
        parameters: of the operation's law.
        share: share of the threads on this side, 0 to 1.
        issue, media: bounds in MiB/s if the threads of both sides were on this side.
        line_use: share of a media line that an access fills if it shares the line with no other.
    """

    parameters: Mapping[str, float]
    share: np.ndarray
    issue: np.ndarray
    media: np.ndarray
    line_use: np.ndarray | float = 1.0

    @property
    def demand(self) -> np.ndarray:
        """Share of the media's time that the threads could use if nothing else did."""
        return self.share * self.issue / self.media


def line_use(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Share of a media line that a write fills; sequential ones are combined."""
    use = media_line_use(access_size_bytes, parameters.get(MEDIA_LINE, MEDIA_LINE_BYTES))
    return np.where(random, use, 1.0)


def queued_bandwidth_mib_s(
    reads: Side, writes: Side, writer_bytes: float = TYPICAL_WRITER_BYTES
) -> tuple[np.ndarray, np.ndarray]:
    """(read, write) bandwidth in MiB/s, shape (m,).

    A thread that issues c on its own and has k waiting moves 1 / (1 / c + w / k); the wait w is that at which both
    sides together use the media as much as the law says of their demand. Where one side is absent, or both are alike,
    this is the law itself.
    """
    demand = reads.demand + writes.demand
    used = sum(side.demand * law.join_bounds(side.parameters, demand, np.ones_like(demand)) for side in (reads, writes))
    used = used / demand
    slow_reads, slow_writes = reads.issue, writes.issue / (writer_bytes * writes.line_use)
    # The sum of demand / (1 + w slow) over both sides is what is used: a quadratic equation of w with one root >= 0.
    a = used * slow_reads * slow_writes
    b = used * (slow_reads + slow_writes) - reads.demand * slow_writes - writes.demand * slow_reads
    c = np.minimum(used - demand, 0.0)
    root = np.sqrt(b * b - 4.0 * a * c)
    wait = np.where(b > 0.0, -2.0 * c / np.where(b > 0.0, b + root, 1.0), (root - b) / (2.0 * a))
    return (
        reads.share * reads.issue / (1.0 + wait * slow_reads),
        writes.share * writes.issue / (1.0 + wait * slow_writes),
    )


class MediaQueue(Effect):
    """Present in points with `read_threads` and `write_threads`; the effect has no column."""

    name = "media_queue"
    parameters = PARAMETERS
    axes = ("access_size_bytes", "threads", "dimms")
