"""Summaries of samples: percentiles, intervals of means, medians and shares, comparisons."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict

import numpy as np

LEVEL = 0.95
"""Default probability that an interval contains the true value."""

FEWEST = 3
"""Smallest number of runs with an interval. For two, Student's t has one degree of freedom, and its interval is too
wide to be of use."""

NORMAL_90 = 1.6449
"""Half width of a 90 % interval of a normal distribution, in standard deviations; four decimals, as in profiles."""

NORMAL_95 = 1.959964
"""Half width of a 95 % interval."""

RANGE = f"fewer than {FEWEST} have no interval, only the range from the least to the greatest"
"""The end of a sentence on intervals over runs or samples."""

INTERVAL = (
    "95 % Student t intervals over the runs (seeds) that came to the context, on the logarithmic scale for measures "
    f"that are never negative, of latency percentiles by the jackknife; {RANGE}"
)

PERCENTILES = (0, 5, 25, 50, 75, 99, 100)
"""Percentiles of thesis section 4.3 (5 to 99), with the ends and the quartiles of its Tables E.1 to E.3."""


class Interval(TypedDict):
    """A mean and the ends of its interval; they are None if there are too few samples."""

    mean: float
    low: float | None
    high: float | None


class RunsInterval(Interval):
    """An interval over runs, and the range of the samples (`span`)."""

    range: list[float] | None


class Comparison(TypedDict):
    """A difference of means (`compare`)."""

    difference: float
    low: float | None
    high: float | None
    range: list[float] | None
    apart: bool | None


def present(values: np.ndarray) -> np.ndarray:
    """The values that are not NaN."""
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def percentiles(values: np.ndarray) -> dict[str, float]:
    """`PERCENTILES` of the values: number, as text -> percentile."""
    return dict(zip(map(str, PERCENTILES), np.percentile(values, PERCENTILES).tolist(), strict=True))


def quartiles(values: np.ndarray) -> dict[str, float]:
    """Minimum, quartiles and maximum, keyed `min`, `q1`, `median`, `q3`, `max`."""
    result = np.percentile(values, (0, 25, 50, 75, 100)).tolist()
    return dict(zip(("min", "q1", "median", "q3", "max"), result, strict=True))


def spread(values: Iterable[float]) -> dict[str, float]:
    """`median`, `min` and `max`."""
    ordered = sorted(values)
    return {"median": statistics.median(ordered), "min": ordered[0], "max": ordered[-1]}


def mean_interval(samples: Sequence[float] | np.ndarray) -> Interval:
    """Student's t interval of the mean of independent samples, one per seed; no ends for fewer than two."""
    values = np.asarray(samples, dtype=float)
    mean = float(values.mean())
    if len(values) < 2:
        return {"mean": mean, "low": None, "high": None}
    half = float(t_half(values))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def over_runs(
    samples: Sequence[float], interval: Callable[[Sequence[float]], Interval] = mean_interval
) -> RunsInterval:
    """An interval over runs or sampled systems, in the form of results.

    Args:
        samples: one per run. interval: the function, such as `mean_interval`.

    Returns:
        the interval, without ends for fewer than `FEWEST` runs, and `range`: the `span`.
    """
    return {**_over(interval(samples), len(samples)), "range": span(samples)}


def _over(interval: Interval, runs: int) -> Interval:
    """The interval, without its ends for fewer than `FEWEST` runs."""
    return {"mean": interval["mean"], "low": None, "high": None} if runs < FEWEST else interval


def span(samples: Sequence[float]) -> list[float] | None:
    """The least and the greatest sample; None for fewer than two."""
    return [float(min(samples)), float(max(samples))] if len(samples) > 1 else None


def t_half(values: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Half width of Student's t interval of a mean.

    Args:
        values: independent samples along the first axis, at least two.
        level: probability that the interval contains the true mean.

    Returns:
        an array of the shape of one sample.
    """
    return _t_quantile(len(values), level) * values.std(axis=0, ddof=1) / math.sqrt(len(values))


def jackknife_half(left_out: Sequence[float] | np.ndarray) -> float | None:
    """Half width of the interval of an estimate, by the jackknife; None for fewer than two samples.

    For a mean, it is that of `mean_interval`.

    Args:
        left_out: the estimates from all samples but one, for each sample.
    """
    values = np.asarray(left_out, dtype=float)
    if len(values) < 2:
        return None
    return float(_t_quantile(len(values)) * values.std(ddof=1) * (len(values) - 1) / math.sqrt(len(values)))


def _t_quantile(samples: int, level: float = LEVEL) -> float:
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    return stdtrit(samples - 1, (1 + level) / 2)


def median_interval(values: Sequence[float]) -> dict[str, float]:
    """The median, and an interval that contains the true one with probability `LEVEL` or more, for any distribution.

    The ends are order statistics (David and Nagaraja, Order Statistics, 7.1): the k-th least and the k-th largest
    value, with the largest k whose coverage is at least `LEVEL`. Fewer than six values have no such k; the ends are
    then the least and the largest value.

    Returns:
        `median`, `low`, `high`, and `confidence`: the coverage of the interval.
    """
    ordered = sorted(values)
    count = len(ordered)

    def missed(k: int) -> float:
        return 2.0 * sum(math.comb(count, i) for i in range(k)) / 2.0**count

    k = max((k for k in range(1, count // 2 + 1) if missed(k) <= 1.0 - LEVEL), default=1)
    return {
        "median": statistics.median(ordered),
        "low": ordered[k - 1],
        "high": ordered[count - k],
        "confidence": max(0.0, 1.0 - missed(k)),
    }


def positive_interval(samples: Sequence[float]) -> Interval:
    """Interval of the mean of values that cannot be negative, on the logarithmic scale: no end is below 0.

    The ends are mean * exp(+-half / mean), by the delta method. To first order this is the Student t interval. It is
    around the mean; the interval of the logarithms would be around the geometric mean.
    """
    interval = mean_interval(samples)
    if interval["high"] is None:
        return interval
    low, high = positive_ends(interval["mean"], interval["high"] - interval["mean"])
    return {"mean": interval["mean"], "low": low, "high": high}


def positive_ends(estimate: float, half: float) -> tuple[float, float]:
    """Ends of the interval of an estimate that cannot be negative, as in `positive_interval`.

    Args:
        half: half width, to first order.
    """
    if estimate <= 0.0:
        return estimate - half, estimate + half
    factor = math.exp(min(half / estimate, MOST_LOG))
    return estimate / factor, estimate * factor


MOST_LOG = 100.0
"""Largest half width of an interval of logarithms, so that its ends are finite."""


def share_interval(samples: Sequence[float]) -> Interval:
    """`mean_interval` of shares, cut off at 0 and 1."""
    return _within(mean_interval(samples), 0.0, 1.0)


def difference_interval(differences: Sequence[float]) -> Interval:
    """`mean_interval` of differences of shares, cut off at -1 and 1."""
    return _within(mean_interval(differences), -1.0, 1.0)


def _within(interval: Interval, low: float, high: float) -> Interval:
    def clipped(value: float) -> float:
        return min(max(value, low), high)

    ends = [None if end is None else clipped(end) for end in (interval["low"], interval["high"])]
    return {"mean": clipped(interval["mean"]), "low": ends[0], "high": ends[1]}


def wilson_interval(successes: int, trials: int, deviations: float = NORMAL_90) -> tuple[float, float]:
    """(low, high) of a share (Wilson, JASA 1927), 90 % by default; (0, 1) without trials.

    Args:
        deviations: half width of the interval in standard deviations.
    """
    if trials == 0:
        return 0.0, 1.0
    share, spread = successes / trials, deviations**2 / trials
    middle = (share + spread / 2.0) / (1.0 + spread)
    half = math.sqrt(spread * (share * (1.0 - share) + spread / 4.0)) / (1.0 + spread)
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))  # also after rounding errors


def ratio_interval(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """The ratio of two means, from pairs of the same seed, and its interval.

    The interval is that of the linearised ratio (Cochran, "Sampling techniques", 3rd ed., section 6.3).

    Args:
        ours, theirs: numerator and denominator; the mean of `theirs` must not be zero.
    """
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    ratio = float(a.mean() / b.mean())
    error = mean_interval((a - ratio * b) / b.mean())
    low, high = (None if end is None else ratio + end for end in (error["low"], error["high"]))
    return {"mean": ratio, "low": low, "high": high}


def ratio_over_runs(ours: Sequence[float], theirs: Sequence[float]) -> Interval:
    """`ratio_interval` over runs; without ends for fewer than `FEWEST` pairs."""
    return _over(ratio_interval(ours, theirs), len(ours))


def compare(ours: Sequence[float], theirs: Sequence[float]) -> Comparison:
    """The difference of two means over the same seeds, `ours` less `theirs`.

    Returns:
        `difference` with `low`, `high` and `range` of the paired differences (`over_runs`), and `apart`: whether the
        intervals of the two means do not overlap, which is stricter; None without intervals.
    """
    differences = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    paired, a, b = over_runs(differences), over_runs(ours), over_runs(theirs)
    return {
        "difference": paired["mean"],
        "low": paired["low"],
        "high": paired["high"],
        "range": paired["range"],
        "apart": _apart(a, b),
    }


def _apart(a: Interval, b: Interval) -> bool | None:
    """Whether two intervals do not overlap; None where one of them has no ends."""
    if a["low"] is None or a["high"] is None or b["low"] is None or b["high"] is None:
        return None
    return bool(a["low"] > b["high"] or a["high"] < b["low"])


def paired_p_value(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Two-sided p-value of Student's paired t test; 1 for fewer than `FEWEST` pairs, or if no pair differs."""
    from scipy.special import stdtr

    differences = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    if len(differences) < FEWEST or not differences.any():
        return 1.0
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
    return 2.0 * float(stdtr(len(differences) - 1, -abs(float(differences.mean())) / error)) if error else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, adjusted for their number, in the same order.

    Holm, "A simple sequentially rejective multiple test procedure" (1979): if hypotheses with an adjusted p-value up to
    5 % are rejected, the probability that any true one is among them is at most 5 %.
    """
    adjusted, least = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


def over_devices(samples: Sequence[float]) -> dict[str, float | int]:
    """Variation of a mean between devices, with one sample per device.

    Returns:
        `count`; `low`, `median`, `high`: 5th, 50th and 95th percentile (low and high None for one device);
        `above_zero`: share of the devices with a positive sample.
    """
    values = np.asarray(samples, dtype=float)
    low, median, high = np.percentile(values, (5, 50, 95)).tolist()
    if len(values) < 2:
        low = high = None
    return {
        "count": len(values),
        "low": low,
        "median": median,
        "high": high,
        "above_zero": float((values > 0.0).mean()),
    }
