"""What else could be true between measured thread counts: rival explanations, and how far they lie apart.

Errors at one thread count have much in common, so that cross-validation has seen few counts however many errors it
has. Where a curve bends between two counts (a knee), what is certain is only what explanations that differ agree on:
the mechanism alone, and a curve through the neighbouring counts, straight over the threads or over their logarithm.
Their distance grows with the gap between the counts and with the change of bandwidth across it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.measurements import Configurations

NEAR_OCTAVES = 1.0
"""A thread count is known for accesses of a size if it was measured with one that is no further away than this."""


@dataclass(frozen=True)
class Brackets:
    """Measured thread counts around points, arrays of shape (points,).

    Args:
        between: whether the count of a point was not measured with accesses like it.
        low, high: the neighbouring counts of the most similar size that has both; NaN where none has.
    """

    between: np.ndarray
    low: np.ndarray
    high: np.ndarray


def brackets(seen: Configurations, points: Configurations) -> Brackets:
    """Thread counts that were measured around points of the same operation, with their pattern, DIMMs and budget."""
    between = np.ones(len(points), dtype=bool)
    low, high = np.full((2, len(points)), np.nan)
    curves = {name: (getattr(seen, name), getattr(points, name)) for name in ("pattern", "dimms", "power_w")}
    for curve in set(zip(*(of_points.tolist() for _, of_points in curves.values()), strict=True)):
        alike, chosen = (
            np.all([columns[side] == value for columns, value in zip(curves.values(), curve, strict=True)], axis=0)
            for side in (0, 1)
        )
        sizes, counts = np.log2(seen.access_size_bytes[alike]), seen.threads[alike]
        for size in np.unique(points.access_size_bytes[chosen]):
            same_size = np.flatnonzero(chosen & (points.access_size_bytes == size))
            away = np.abs(sizes - np.log2(size))
            between[same_size] = ~np.isin(points.threads[same_size], counts[away <= NEAR_OCTAVES])
            for index in same_size:
                low[index], high[index] = _around(points.threads[index], away, counts)
    return Brackets(between, low, high)


def _around(threads: float, away: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """The counts below and above `threads` of the nearest size that has both."""
    for distance in np.unique(away):
        of_size = counts[away == distance]
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
    """How far the rival explanations lie from the prediction in log bandwidth, shape (points,).

    Args:
        log_bandwidth: the prediction of the same points at other thread counts, shape (points,).
        threads: of the points.
        mechanism, full: logarithms of what the mechanism alone and the whole model predict.
    """
    widest = np.abs(mechanism - full)
    known = np.isfinite(around.low)
    low, high = (np.where(known, ends, threads) for ends in (around.low, around.high))
    at_low, at_high = log_bandwidth(low), log_bandwidth(high)
    gap = np.where(known, high - low, 1.0)
    linear = (threads - low) / gap
    ratio = np.where(known, np.log(threads / low) / np.log(np.where(known, high / low, np.e)), 0.0)
    rivals = (
        np.log((1.0 - linear) * np.exp(at_low) + linear * np.exp(at_high)),
        (1.0 - ratio) * at_low + ratio * at_high,
    )
    for rival in rivals:
        widest = np.maximum(widest, np.abs(rival - full))
    return widest
