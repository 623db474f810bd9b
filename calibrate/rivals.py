"""Rival explanations of the bandwidth between measured thread counts, and their distance.

Errors at one thread count are alike, so that cross-validation has few independent errors. Near a knee, a bend of the
curve between two counts, they say little. The distance of rival explanations is a further measure of uncertainty: the
mechanism alone, and curves through the neighbouring counts, linear in the threads or in their logarithm. The distance
grows with the gap between the counts and with the change of bandwidth across it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.measurements import Configurations

NEAR_OCTAVES = 1.0
"""Largest distance of a size, in octaves, at which a thread count was measured for accesses of another size to have it
measured, too."""


@dataclass(frozen=True)
class Brackets:
    """Measured thread counts around points, arrays of shape (points,).

    Args:
        between: whether the thread count of a point was not measured with similar accesses.
        low, high: the neighbouring counts, of the most similar size that has both; NaN if no size has.
    """

    between: np.ndarray
    low: np.ndarray
    high: np.ndarray


def brackets(seen: Configurations, points: Configurations) -> Brackets:
    """Measured thread counts around points, with the same operation, pattern, DIMMs and budget."""
    between = np.ones(len(points), dtype=bool)
    low, high = np.full((2, len(points)), np.nan)
    curves = {name: (getattr(seen, name), getattr(points, name)) for name in ("pattern", "dimms", "power_w")}
    for curve in set(zip(*(of_points.tolist() for _, of_points in curves.values()), strict=True)):
        measured, chosen = (
            np.all([columns[side] == value for columns, value in zip(curves.values(), curve, strict=True)], axis=0)
            for side in (0, 1)
        )
        sizes, counts = np.log2(seen.access_size_bytes[measured]), seen.threads[measured]
        for size in np.unique(points.access_size_bytes[chosen]):
            same_size = np.flatnonzero(chosen & (points.access_size_bytes == size))
            octaves = np.abs(sizes - np.log2(size))
            between[same_size] = ~np.isin(points.threads[same_size], counts[octaves <= NEAR_OCTAVES])
            for index in same_size:
                low[index], high[index] = _around(points.threads[index], octaves, counts)
    return Brackets(between, low, high)


def _around(threads: float, octaves: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The counts below and above `threads`, of the nearest size that has both; `octaves`: distances of the sizes."""
    for distance in np.unique(octaves):
        of_size = counts[octaves == distance]
        below, above = of_size[of_size < threads], of_size[of_size > threads]
        if below.size and above.size:
            return below.max(), above.min()
    return np.nan, np.nan


def spread(
    log_bandwidth: Callable[[np.ndarray], np.ndarray],
    threads: np.ndarray,
    around: Brackets,
    mechanism: np.ndarray,
    full: np.ndarray,
) -> np.ndarray:
    """Largest distance of a rival explanation from the prediction, in log bandwidth, shape (points,).

    Args:
        log_bandwidth: predicts the points at other thread counts, shape (points,).
        threads: thread counts of the points.
        mechanism, full: log bandwidth by the mechanism, and by mechanism and residual.
    """
    widest = np.abs(mechanism - full)
    has_both = np.isfinite(around.low)
    low, high = (np.where(has_both, ends, threads) for ends in (around.low, around.high))
    at_low, at_high = log_bandwidth(low), log_bandwidth(high)
    gap = np.where(has_both, high - low, 1.0)
    linear = (threads - low) / gap
    ratio = np.where(has_both, np.log(threads / low) / np.log(np.where(has_both, high / low, np.e)), 0.0)
    rivals = (
        np.log((1.0 - linear) * np.exp(at_low) + linear * np.exp(at_high)),
        (1.0 - ratio) * at_low + ratio * at_high,
    )
    for rival in rivals:
        widest = np.maximum(widest, np.abs(rival - full))
    return widest
