"""Percentiles and means of a window's latencies; compiled, as they would take a large part of the time of training."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit


def split_by_class(classes: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """The values of each class, in their order.

    Args:
        classes: shape (n,), 0 or 1.
        values: shape (n,).
    """
    parts, counts, _ = _split(classes, values)
    return [parts[c, : counts[c]] for c in range(len(parts))]


@njit(cache=True)
def class_summary(classes, values):
    """(counts, means, 99th percentiles) of the classes' values, three arrays of shape (2,); 0 for no values."""
    parts, counts, sums = _split(classes, values)
    number, mean, p99 = np.empty(2, dtype=np.int64), np.empty(2), np.empty(2)
    for c in range(2):
        number[c] = counts[c]
        mean[c] = sums[c] / max(number[c], 1)
        p99[c] = percentile_99(parts[c, : counts[c]])
    return number, mean, p99


@njit(cache=True)
def _split(classes, values):
    """(values of both classes, counts, sums), without a branch on the class, which would be mispredicted."""
    parts, sums = np.empty((2, values.shape[0])), np.zeros(2)
    counts = np.zeros(2, dtype=np.uint64)
    for j in range(values.shape[0]):
        c = classes[j] & 1
        parts[c, counts[c]] = values[j]
        counts[c] += np.uint64(1)
        sums[c] += values[j]
    return parts, counts, sums


@njit(cache=True)
def percentile_99(values):
    """The 99th percentile, linear between order statistics like numpy's default; 0 for no values.

    A heap holds the greatest hundredth of the values, with its least value on top. Nearly all values are below that.
    """
    n = values.shape[0]
    if n == 0:
        return 0.0
    position = 0.99 * (n - 1)
    low = int(position)
    greatest = np.empty(n - low)
    for j in range(greatest.shape[0]):
        greatest[j] = values[j]
    for j in range(greatest.shape[0] // 2 - 1, -1, -1):
        _sink(greatest, j)
    for j in range(n - low, n):
        if values[j] > greatest[0]:
            greatest[0] = values[j]
            _sink(greatest, 0)
    least = greatest[0]
    above = np.inf if greatest.shape[0] > 1 else least
    for j in range(1, min(greatest.shape[0], 3)):
        above = min(above, greatest[j])
    return least + (position - low) * (above - least)


@njit(cache=True, inner=True)
def _sink(heap, j):
    """Move the value at place j down the heap until no child is less."""
    value, size = heap[j], heap.shape[0]
    while True:
        child = 2 * j + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if child >= size or heap[child] >= value:
            break
        heap[j] = heap[child]
        j = child
    heap[j] = value
