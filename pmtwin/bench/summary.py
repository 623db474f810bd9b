"""Samples summed up: their median with the least and the most, or with an interval that holds the true one."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence

CONFIDENCE = 0.95


def spread(values: Iterable[float]) -> dict[str, float]:
    """`median`, `min` and `max`."""
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "min": ordered[0], "max": ordered[-1]}


def median_interval(values: Sequence[float]) -> dict[str, float]:
    """The median and an interval that holds the true one at least as often as `CONFIDENCE`, for any distribution.

    Order statistics (David and Nagaraja, Order Statistics, 7.1): the k-th least and the k-th largest value, with the
    largest k at which both together miss the median rarely enough; with fewer than six values the least and the
    largest, which miss it more often: `confidence` says how often they hold it.

    Returns:
        `median`, `low`, `high`, `confidence`.
    """
    ordered = sorted(values)
    count = len(ordered)

    def missed(k: int) -> float:
        return 2.0 * sum(math.comb(count, i) for i in range(k)) / 2.0**count

    k = max((k for k in range(1, count // 2 + 1) if missed(k) <= 1.0 - CONFIDENCE), default=1)
    return {
        "median": statistics.median(ordered),
        "low": ordered[k - 1],
        "high": ordered[count - k],
        "confidence": max(0.0, 1.0 - missed(k)),
    }
