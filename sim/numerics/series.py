"""Statistics of a series of measurements whose neighbours are alike (CAPES, SC 2017, appendix B).

Warm-up and cool-down are found as changepoints and left out; neighbours are merged until their means are hardly
correlated; then comes Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from pmtwin.sim.numerics.statistics import FEWEST, Interval, t_half

LARGEST_AUTOCORRELATION = 0.1
"""Largest absolute autocorrelation of merged samples (appendix B.2)."""

WIDENING = math.sqrt((1.0 + LARGEST_AUTOCORRELATION) / (1.0 - LARGEST_AUTOCORRELATION))
"""Factor of the half width: what the largest autocorrelation adds to the standard error of a mean."""

CRITICAL = 68.6
"""1 % point of the greatest `change_statistic` without a change (Shao and Zhang, JASA 105, 2010, table 1)."""

END_SHARE = 0.25
"""Largest part of a series that may be its warm-up, or its cool-down."""

SHORTEST = 20
"""Least number of values of a series in which changepoints are looked for."""

FINENESS = 1.1
"""Factor from a number of merged neighbours to the next that is tried."""


class SeriesInterval(Interval):
    """The interval of the mean of a series: from how many samples, and how many neighbours made each."""

    samples: int
    merged: int


def autocorrelation(values: np.ndarray, lag: int = 1) -> float:
    """Autocorrelation of means of `lag` neighbours with the means beside them, over all places where merging may begin.

    With a lag of 1 it is the usual autocorrelation. A series without variation has none.
    """
    sums = np.concatenate([[0.0], np.cumsum(values - values.mean())])
    means = (sums[lag:] - sums[:-lag]) / lag
    distances = means - means.mean()
    square = float((distances * distances).mean())
    if len(distances) <= lag or square <= _rounding(values):
        return 0.0
    return float((distances[lag:] * distances[:-lag]).mean()) / square


def merge(values: np.ndarray, count: int) -> np.ndarray:
    """Means of `count` neighbours each; the first values that are left over are not used."""
    groups = len(values) // count
    return values[len(values) - groups * count :].reshape(groups, count).mean(axis=1)


def independent(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """(samples, number of neighbours that each is the mean of): as few as leave `LARGEST_AUTOCORRELATION`.

    Returns:
        None if fewer than `FEWEST` samples would be left.
    """
    for count in _counts(len(values) // FEWEST):
        if abs(autocorrelation(values, count)) <= LARGEST_AUTOCORRELATION:
            return merge(values, count), count
    return None


def series_interval(values: np.ndarray) -> SeriesInterval:
    """Student's t interval of the mean of a series, from merged neighbours; without ends if too few are left.

    The rule lets `LARGEST_AUTOCORRELATION` pass; the interval is wider by what that may add (`WIDENING`).

    Args:
        values: a steady series (`steady_part`), at least one value.
    """
    mean, fewer = float(values.mean()), independent(values)
    if fewer is None:
        return {"mean": mean, "low": None, "high": None, "samples": 1, "merged": len(values)}
    samples, count = fewer
    half = WIDENING * float(t_half(samples))
    return {"mean": mean, "low": mean - half, "high": mean + half, "samples": len(samples), "merged": count}


def gain_of_series(ours: np.ndarray, theirs: np.ndarray, blocks: Sequence[int]) -> SeriesInterval:
    """How much the mean of a series is above that of another, as a share of its magnitude, from pairs of values.

    The interval is that of the linearised ratio, as of `ratio_interval`.

    Args:
        ours, theirs: in blocks one after the other. If the mean of `theirs` is 0 there is no gain (NaN).
        blocks: numbers of values of the blocks. These are independent: no more neighbours are merged than a block has.
    """
    below = float(theirs.mean())
    if not below:
        return {"mean": math.nan, "low": None, "high": None, "samples": 1, "merged": len(ours)}
    ratio = float(ours.mean()) / below
    errors = (ours - ratio * theirs) / abs(below)
    error = series_interval(errors)
    if len(blocks) >= FEWEST and (error["low"] is None or error["merged"] > min(blocks)):
        means = np.array([part.mean() for part in np.split(errors, np.cumsum(blocks)[:-1])])
        half = float(t_half(means))
        error = {"mean": 0.0, "low": -half, "high": half, "samples": len(means), "merged": max(blocks)}
    gain = math.copysign(1.0, below) * (ratio - 1.0)
    low, high = (None if end is None else gain + end for end in (error["low"], error["high"]))
    return {**error, "mean": gain, "low": low, "high": high}


def steady_part(values: np.ndarray) -> tuple[int, int]:
    """(first place, place behind the last) of a series without its warm-up and its cool-down.

    Both are looked for apart, in what the other leaves: together they would hide each other. While the mean changes
    significantly near the begin, what lies before the changepoint is left out; the same near the end. A changepoint
    further inside is no warm-up (`END_SHARE`).
    """
    most = int(END_SHARE * len(values))
    return _warmup(values[: len(values) - most], most), len(values) - _warmup(values[most:][::-1], most)


def _warmup(values: np.ndarray, most: int) -> int:
    """Number of first values that belong to a warm-up, at most `most`."""
    begin = 0
    while len(values) - begin >= SHORTEST:
        place, statistic = changepoint(values[begin:])
        if statistic <= CRITICAL or begin + place > most:
            break
        begin += place
    return begin


def changepoint(values: np.ndarray) -> tuple[int, float]:
    """(place of the likeliest change of the mean, its statistic); the place is that of the first value behind it."""
    statistics = change_statistic(values)
    place = int(statistics.argmax())
    return place + 1, float(statistics[place])


def change_statistic(values: np.ndarray) -> np.ndarray:
    """Self-normalised CUSUM before each value but the first, shape (n - 1,).

    The square of the CUSUM is divided by the variation of partial sums on both sides of the place, so that neither the
    variance nor the autocorrelation has to be estimated (Shao and Zhang, "Testing for change points in time series",
    JASA 105, 2010).
    """
    count = len(values)
    if float(values.var()) <= _rounding(values):
        return np.zeros(count - 1)
    distances = values - values.mean()
    before, behind = _variation(distances), _variation(distances[::-1])[::-1]
    square, variation = count * np.cumsum(distances)[:-1] ** 2, before + behind
    return np.divide(square, variation, out=np.where(square > 0.0, np.inf, 0.0), where=variation > 0.0)


def _variation(distances: np.ndarray) -> np.ndarray:
    """For each number k of first values the sum of squares of their partial sums' distance from a straight line."""
    sums, places = np.cumsum(distances), np.arange(1.0, len(distances) + 1.0)
    lengths, ends = places[:-1], sums[:-1]
    slopes = ends / lengths
    squares, products, lines = (np.cumsum(part)[:-1] for part in (sums * sums, places * sums, places * places))
    return np.maximum(squares - 2.0 * slopes * products + slopes * slopes * lines, 0.0)


def _rounding(values: np.ndarray) -> float:
    """Variance that rounding alone may make."""
    return (1e-12 * float(np.abs(values).max())) ** 2


def _counts(most: int) -> Iterator[int]:
    """Numbers of merged neighbours to try, in rising order."""
    count = 1
    while count <= most:
        yield count
        count = max(count + 1, int(FINENESS * count))
