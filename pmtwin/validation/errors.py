"""Errors of predictions over seeds: of one case, and their median and worst over cases, each with its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pmtwin.sim.numerics.statistics import (
    FEWEST,
    Interval,
    jackknife_half,
    over_runs,
    positive_ends,
    positive_interval,
)

Summary = Mapping[str, object]
NOTHING: Summary = dict.fromkeys(("mean", "low", "high", "range"))
"""Summary of no value."""


def over_known(by_seed: Sequence[float | None], interval: Callable[[Sequence[float]], Interval]) -> Summary:
    """`over_runs` of the seeds that have a value; `NOTHING` without one."""
    known = [value for value in by_seed if value is not None]
    return over_runs(known, interval) if known else NOTHING


def ratios(predicted: Sequence[float | None], measured: Sequence[float | None]) -> list[float]:
    """Predicted / measured for each seed; empty if one has no value, or measured 0, to which no error is relative."""
    known = [p / m for p, m in zip(predicted, measured, strict=True) if p is not None and m]
    return known if len(known) == len(measured) else []


def error_percent(by_seed: Sequence[float]) -> Summary:
    """Mean and interval (`over_runs`) of 100 (ratio - 1) over the seeds' ratios; all None without ratios."""
    if not by_seed:
        return NOTHING
    over_seeds = over_runs(by_seed, positive_interval)
    ratios_of = {"mean": over_seeds["mean"], "low": over_seeds["low"], "high": over_seeds["high"]}
    percent = {name: None if ratio is None else 100.0 * (ratio - 1.0) for name, ratio in ratios_of.items()}
    ends = over_seeds["range"]
    return {**percent, "range": ends and [100.0 * (ratio - 1.0) for ratio in ends]}


def over_cases(cases: Sequence[Mapping[str, Sequence[float | None]]], sides: tuple[str, str]) -> dict:
    """Median, worst and bias of the errors of several cases.

    The cases are fixed, not a sample: intervals are over seeds, by a jackknife that leaves one seed out of all cases at
    once. `statistics.positive_ends` gives the ends for predicted / measured, so that no error is below -100 %. With one
    case the interval is that of `error_percent`.

    Args:
        cases: one mapping per case, side -> values by seed.
        sides: names of both sides, predicted and measured.

    Returns:
        `median_percent` and `worst_percent` of the absolute errors, `bias_percent` (median of the signed errors): None
        without errors; `intervals`: name of each of these -> [low, high] or None (fewer than `FEWEST` seeds);
        `entries`: number of cases with an error; `absent`: number of cases in which neither side has a value, such as a
        class without clients; `missing`: number of the other cases in which some seed lacks a value, or measured 0.
    """
    known = [ratio for case in cases if (ratio := ratios(*(case[side] for side in sides)))]
    absent = sum(not any(case[sides[0]]) and not any(case[sides[1]]) for case in cases)
    counts = {"entries": len(known), "absent": absent, "missing": len(cases) - len(known) - absent}
    if not known:
        nothing = dict.fromkeys(("median_percent", "worst_percent", "bias_percent"))
        return {**nothing, "intervals": dict(nothing), **counts}
    table = np.array(known)
    whole, left_out = _errors(table), _left_out(table)
    signs = np.where(whole < 0.0, -1.0, 1.0)  # as they are with all seeds, so that an error near zero is not folded
    by_size = np.argsort(np.abs(whole))
    middle, bias = by_size[(len(whole) - 1) // 2 : len(whole) // 2 + 1], float(np.median(whole))
    absolute = {
        "median_percent": (float(np.median(np.abs(whole))), np.median(left_out * signs, axis=1), set(signs[middle])),
        "worst_percent": (float(np.abs(whole).max()), np.max(left_out * signs, axis=1), {signs[by_size[-1]]}),
    }
    return {
        **{name: estimate for name, (estimate, _, _) in absolute.items()},
        "bias_percent": bias,
        "intervals": {
            **{name: _of_absolute(*values) for name, values in absolute.items()},
            "bias_percent": error_interval(bias, np.median(left_out, axis=1)),
        },
        **counts,
    }


def error_interval(error: float, left_out: Sequence[float] | np.ndarray) -> list[float] | None:
    """[low, high] of an error in percent (at least -100), from the errors with each seed left out in turn.

    Returns:
        None for fewer than two values in `left_out`.
    """
    half = jackknife_half(left_out)
    return None if half is None else [100.0 * (end - 1.0) for end in positive_ends(1.0 + error / 100.0, half / 100.0)]


def _of_absolute(size: float, left_out: np.ndarray, signs: set[float]) -> list[float] | None:
    """[low, high] of an absolute error over cases whose errors have these signs.

    If all errors have one sign: the interval of the error, without its sign. With both signs the error is not bounded
    by 100 %.
    """
    if len(signs) == 1:
        (sign,) = signs
        ends = error_interval(sign * size, sign * left_out)
    else:
        half = jackknife_half(left_out)
        ends = None if half is None else [size - half, size + half]
    if ends is None:
        return None
    low, high = sorted(map(abs, ends))
    return [0.0 if ends[0] <= 0.0 <= ends[1] else low, high]


def _errors(table: np.ndarray) -> np.ndarray:
    return 100.0 * (table.mean(axis=1) - 1.0)


def _left_out(table: np.ndarray) -> np.ndarray:
    """Errors of the cases (columns) with each seed left out in turn (rows); no rows below `FEWEST` seeds."""
    cases, seeds = table.shape
    rows = [_errors(np.delete(table, seed, axis=1)) for seed in range(seeds)] if seeds >= FEWEST else []
    return np.array(rows).reshape(-1, cases)
