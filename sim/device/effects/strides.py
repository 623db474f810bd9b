"""Strided accesses: every access starts `stride` bytes after the one before it.

From a stride of one media line on, no two accesses share a media line. To the media they are random accesses; to the
core they are sequential ones (a shorter first line, the pipeline of sequential accesses). Strides longer than an
interleaving chunk skip DIMMs: threads in step meet on few DIMMs, and many threads collide in the buffers of one DIMM.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.device.cells import MAX_ACCESS_SIZE_BYTES, whole_in
from pmtwin.sim.device.effects.effect import UNMEASURED_LOG_HALF_WIDTH, Column, VariedEffect
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES, between_one_and_full
from pmtwin.sim.device.issue import issue_bound_mib_s
from pmtwin.sim.errors import ConflictError, check_range

PARAMETERS = {
    "first_line_ns": "issue time of the first cache line of a strided access, in ns",
    "loss_one_dimm": "media time lost over the time used: 256 B accesses of 8 threads, long strides, one DIMM",
    "loss_full_set": "the same of a full set of DIMMs",
    "critical_stride_bytes": "stride with half of the loss",
    "onset_exponent": "how sharply the loss sets in with the stride",
    "size_exponent_one_dimm": "fall of the loss with the access size, as a power, one DIMM",
    "size_exponent_full_set": "the same of a full set of DIMMs",
    "thread_exponent_one_dimm": "growth of the loss with threads, as a power, one DIMM",
    "thread_exponent_full_set": "the same of a full set of DIMMs",
}

REFERENCE_THREADS = 8.0

LONG_STRIDE_BYTES = 4096.0
"""Shortest stride with the interval of long strides, one interleaving chunk; they are the hardest to predict."""


def stride_loss(
    strided: Mapping[str, float],
    access_size_bytes: np.ndarray,
    stride_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
) -> np.ndarray:
    """Media time that threads in step lose, over the time that they use."""
    depth, size_exponent, thread_exponent = (
        between_one_and_full(strided[f"{name}_one_dimm"], strided[f"{name}_full_set"], dimms)
        for name in ("loss", "size_exponent", "thread_exponent")
    )
    onset = 1.0 / (1.0 + (strided["critical_stride_bytes"] / stride_bytes) ** strided["onset_exponent"])
    return (
        depth
        * onset
        * (MEDIA_LINE_BYTES / access_size_bytes) ** size_exponent
        * (threads / REFERENCE_THREADS) ** thread_exponent
    )


def strided_law(parameters: Mapping[str, float], strided: Mapping[str, float]) -> dict[str, float]:
    """The law's parameters for strided accesses, in the form of random ones."""
    return {
        **parameters,
        "first_line_random_ns": strided["first_line_ns"],
        "drain_random_bytes": parameters["drain_sequential_bytes"],
        "line_pair_ns": 0.0,
        "collision": 0.0,
    }


def strided_bounds_mib_s(
    parameters: Mapping[str, float],
    strided: Mapping[str, float],
    access_size_bytes: np.ndarray,
    stride_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """(issue bound, media bound) in MiB/s of accesses at strides of at least a media line and the access size."""
    changed, random = strided_law(parameters, strided), np.asarray(True)
    issue = issue_bound_mib_s(changed, random, access_size_bytes, threads)
    media = law.media_bound_mib_s(changed, random, access_size_bytes, threads, dimms, power_w)
    return issue, media / (1.0 + stride_loss(strided, access_size_bytes, stride_bytes, threads, dimms))


class Strides(VariedEffect):
    """`stride_bytes`, of sequential accesses."""

    name = "strides"
    parameters = PARAMETERS
    column = Column("stride_bytes", "stride_bytes")
    axes = ("access_size_bytes", "threads", "dimms", "stride_bytes", "power_w")
    half_widths = 2  # below and from `LONG_STRIDE_BYTES` on
    as_random = True
    own_latency = True

    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> float:
        """The stride, or 0 if consecutive accesses touch each other: these are plain sequential ones."""
        field = self.column.name
        if pattern != "sequential":
            raise ConflictError(field, row[field], "belongs to pattern sequential; leave it empty here", where)
        stride = whole_in(field, row, access_size_bytes, MAX_ACCESS_SIZE_BYTES, where)
        if stride == access_size_bytes:
            return 0.0
        check_range(field, stride, max(MEDIA_LINE_BYTES, access_size_bytes), MAX_ACCESS_SIZE_BYTES, where=where)
        return stride

    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        """Set the bounds of strided accesses, without the residual and the interval of plain accesses."""
        size, threads, dimms, power = (column[present] for column in points.law_columns())
        stride = points.column(self.column.key)[present]
        issue, media = strided_bounds_mib_s(parameters, entry["parameters"], size, stride, threads, dimms, power)
        outcome.issue_mib_s[present], outcome.media_mib_s[present], outcome.correction[present] = issue, media, 1.0
        beyond = self.outside(entry, pattern, points, present)
        short, long = entry["log_half_width"]
        half = np.where(stride < LONG_STRIDE_BYTES, short, long)
        outcome.log_half_width[present] = half + np.where(beyond, UNMEASURED_LOG_HALF_WIDTH, 0.0)
        outcome.extrapolated[present] = beyond
