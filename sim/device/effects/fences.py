"""Fences: after a number of bytes a thread waits until all of them have arrived.

The wait overlaps with the issue of the bytes, so that the two add up in a norm. Between fences that are near each other
flushed stores issue faster: lines reach the memory in the order of the media lines, not in the order in which the cache
evicts them (FAST'20, section 5.2 and figures 12 and 13).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.device.cells import MAX_ACCESS_SIZE_BYTES, whole_in
from pmtwin.sim.device.effects.effect import Column, VariedEffect
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MIB

PARAMETERS = {
    "random_ns": "wait at a fence after one random access, in ns",
    "sequential_ns": "the same after a sequential access",
    "overlap_norm": "exponent in which the wait and the issue time add up; large = the shorter hides behind the other",
    "line_saving": "how much faster lines are issued between fences that are near each other, 0 = no faster",
    "saving_bytes": "fence interval at which half of that is left",
}


def fenced_time_ns(
    fence: Mapping[str, float], random: np.ndarray, fence_interval_bytes: np.ndarray, issue_ns: np.ndarray
) -> np.ndarray:
    """Time in ns from one fence to the next.

    Args:
        issue_ns: time that issuing `fence_interval_bytes` takes without fences.
    """
    wait = np.where(random, fence["random_ns"], fence["sequential_ns"])
    faster = 1.0 + fence["line_saving"] / (1.0 + fence_interval_bytes / fence["saving_bytes"])
    q, issue = fence["overlap_norm"], issue_ns / faster
    longer = np.maximum(wait, issue)  # apart, so that no power overflows
    return longer * (1.0 + (np.minimum(wait, issue) / longer) ** q) ** (1.0 / q)


def fenced_issue_mib_s(
    fence: Mapping[str, float],
    random: np.ndarray,
    fence_interval_bytes: np.ndarray,
    threads: np.ndarray,
    issue_mib_s: np.ndarray,
) -> np.ndarray:
    """Issue bound in MiB/s of threads that fence, from the bound without fences."""
    issue_ns = fence_interval_bytes * threads / (issue_mib_s * MIB) * 1e9
    return threads * fence_interval_bytes / fenced_time_ns(fence, random, fence_interval_bytes, issue_ns) * (1e9 / MIB)


class Fences(VariedEffect):
    """`fence_interval_bytes`: bytes between the fences of a thread."""

    name = "fences"
    parameters = PARAMETERS
    column = Column("fence_interval_bytes", "fence_interval_bytes")
    may_be_zero = ("line_saving",)
    axes = ("fence_interval_bytes", "threads", "dimms", "power_w")

    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> float:
        return whole_in(self.column.name, row, CACHE_LINE_BYTES, MAX_ACCESS_SIZE_BYTES, where)

    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        """Lower the issue bound, and leave out the residual."""
        random = np.asarray(pattern == "random")
        interval, threads = points.column(self.column.key)[present], points.threads[present]
        fenced = fenced_issue_mib_s(entry["parameters"], random, interval, threads, outcome.issue_mib_s[present])
        outcome.issue_mib_s[present], outcome.correction[present] = fenced, 1.0
        self.widen(entry, pattern, points, outcome, present)
