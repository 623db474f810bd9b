"""What a window's latencies come to. The time of a training run lies here next to the kernel's: hence compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from sim.workload import CLASSES


def split_by_class(classes: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """The values of each class, in their order.

    Args:
        classes: shape (n,), 0 or 1.
        values: shape (n,).
    """
    parts, counts = _split(classes, values)
    return tuple(parts[c, : counts[c]] for c in range(len(CLASSES)))


@njit(cache=True)
def _split(classes, values):
    """Both parts and their lengths, without a branch on the class: it could not be predicted."""
    parts = np.empty((2, values.shape[0]))
    counts = np.zeros(2, dtype=np.uint64)
    for j in range(values.shape[0]):
        c = classes[j] & 1
        parts[c, counts[c]] = values[j]
        counts[c] += np.uint64(1)
    return parts, counts


def percentile_99(values: np.ndarray) -> float:
    """The 99th percentile, linear between order statistics as numpy's default; 0 for no values."""
    if not values.size:
        return 0.0
    position = 0.99 * (values.size - 1)
    low = int(position)
    part = np.partition(values, low)
    above = part[low + 1 :].min() if low + 1 < values.size else part[low]
    return float(part[low] + (position - low) * (above - part[low]))
