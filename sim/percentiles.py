"""What a window's latencies come to. The time of a training run lies here next to the kernel's: hence compiled."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.workload import CLASSES


def split_by_class(classes: np.ndarray, values: np.ndarray) -> tuple[list[np.ndarray], list[float]]:
    """(values of each class in their order, mean of each class or 0 for no values).

    Args:
        classes: shape (n,), 0 or 1.
        values: shape (n,).
    """
    parts, counts, sums = _split(classes, values)
    split = [parts[c, : counts[c]] for c in range(len(CLASSES))]
    return split, [float(total) / max(part.size, 1) for part, total in zip(split, sums, strict=True)]


@njit(cache=True)
def _split(classes, values):
    """Both parts, their lengths and sums, without a branch on the class: it could not be predicted."""
    parts, sums = np.empty((2, values.shape[0])), np.zeros(2)
    counts = np.zeros(2, dtype=np.uint64)
    for j in range(values.shape[0]):
        c = classes[j] & 1
        parts[c, counts[c]] = values[j]
        counts[c] += np.uint64(1)
        sums[c] += values[j]
    return parts, counts, sums


def percentile_99(values: np.ndarray) -> float:
    """The 99th percentile, linear between order statistics as numpy's default; 0 for no values."""
    if not values.size:
        return 0.0
    position = 0.99 * (values.size - 1)
    low = int(position)
    part = np.partition(values, low)
    above = part[low + 1 :].min() if low + 1 < values.size else part[low]
    return float(part[low] + (position - low) * (above - part[low]))
