"""Errors of predictions over seeds: of one case, and their median and worst over cases, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pmtwin.sim.statistics import FEWEST, jackknife_half, over_runs, positive_interval

_OVER_CASES: dict[str, Callable[[np.ndarray], float]] = {
    "median_percent": lambda errors: float(np.median(np.abs(errors))),
    "worst_percent": lambda errors: float(np.abs(errors).max()),
    "bias_percent": lambda errors: float(np.median(errors)),
}


def ratios(predicted: Sequence[float], measured: Sequence[float]) -> list[float]:
    """Predicted / measured for each seed; none where a measured value is zero: there is no relative error then."""
    return [p / m for p, m in zip(predicted, measured, strict=True)] if all(measured) else []


def error_percent(by_seed: Sequence[float]) -> dict[str, float | list[float] | None]:
    """`over_runs` of 100 (ratio - 1) over the ratios of the seeds; all None without any."""
    if not by_seed:
        return dict.fromkeys(("mean", "low", "high", "range"))
    over_seeds = over_runs(by_seed, positive_interval)
    ratios_of = {"mean": over_seeds["mean"], "low": over_seeds["low"], "high": over_seeds["high"]}
    percent = {name: None if ratio is None else 100.0 * (ratio - 1.0) for name, ratio in ratios_of.items()}
    ends = over_seeds["range"]
    return {**percent, "range": ends and [100.0 * (ratio - 1.0) for ratio in ends]}


def over_cases(cases: Sequence[Mapping[str, Sequence[float]]], sides: tuple[str, str]) -> dict:
    """What is asked of the errors of several cases.

    The cases are those that were asked about and no sample of others: intervals are over seeds, by the jackknife, which
    leaves each out of all cases at once.

    Args:
        cases: side -> values by seed, of the two `sides`, predicted and measured.

    Returns:
        `median_percent` and `worst_percent` of the absolute errors, `bias_percent` (median of the errors): None without
        any; `intervals`: name of each of these -> [low, high] or None (fewer than `FEWEST` seeds); `entries`: cases
        with an error; `absent`: those in which neither side has anything, such as a class without clients; `missing`:
        those in which something was predicted and some seed measured nothing.
    """
    known = [ratio for case in cases if (ratio := ratios(*(case[side] for side in sides)))]
    absent = sum(not any(case[sides[0]]) and not any(case[sides[1]]) for case in cases)
    result: dict[str, float | None] = dict.fromkeys(_OVER_CASES)
    intervals: dict[str, list[float] | None] = dict.fromkeys(_OVER_CASES)
    if known:
        table = np.array(known)
        for name, statistic in _OVER_CASES.items():
            result[name] = estimate = statistic(_errors(table))
            ends = interval(estimate, _left_out(table, statistic))
            if ends and name != "bias_percent":
                ends[0] = max(ends[0], 0.0)
            intervals[name] = ends
    counts = {"entries": len(known), "absent": absent, "missing": len(cases) - len(known) - absent}
    return {**result, "intervals": intervals, **counts}


def interval(estimate: float, left_out: Sequence[float]) -> list[float] | None:
    """[low, high] of an estimate from those with each seed left out; None without these."""
    half = jackknife_half(left_out)
    return None if half is None else [estimate - half, estimate + half]


def _errors(table: np.ndarray) -> np.ndarray:
    return 100.0 * (table.mean(axis=1) - 1.0)


def _left_out(table: np.ndarray, statistic: Callable[[np.ndarray], float]) -> list[float]:
    seeds = table.shape[1]
    return [statistic(_errors(np.delete(table, seed, axis=1))) for seed in range(seeds)] if seeds >= FEWEST else []
