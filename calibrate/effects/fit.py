"""Least squares of the logarithms of an effect's parameters, with errors on rows kept aside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.calibrate.percentage_errors import ape
from pmtwin.sim.numerics.statistics import NORMAL_90

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


LOSS_SCALE = 0.05
FOLDS = 5
FOLD_EVALUATIONS = 40
HALF_RANGE = 4.0
"""Usual half-range of a parameter's logarithm around its start value."""

WEAK = 1.5
"""Standard deviation of a logarithm above which a parameter is not identified."""

EVALUATIONS = 400
STARTS, START_SPREAD = 12, 1.0
"""Number of further starts, and the standard deviation of their logarithms around the first."""

LOWER = 0.98
"""Ratio of losses below which a fit from another start replaces the first; larger ones may be due to rounding."""


@dataclass(frozen=True)
class EffectFit:
    """Fitted parameters of an effect.

    Args:
        parameters: name -> value.
        intervals: name -> (low, high) of 90 %, from the curvature at the fit.
        not_identified: parameters that the rows do not identify.
        errors: log(predicted / measured) of each row, by a fit without the row's group.
    """

    parameters: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    not_identified: list[str]
    errors: np.ndarray

    def entry(self, boxes: list[dict], configurations: int, errors: Sequence[np.ndarray] | None = None) -> dict:
        """The profile's entry of an effect.

        Args:
            boxes: fitted ranges by pattern.
            configurations: number of configurations that were fitted.
            errors: the errors behind each half-width; None: one half-width by the errors of all rows.
        """
        errors = [self.errors] if errors is None else errors
        return {
            "parameters": self.parameters,
            "interval_90": {name: list(ends) for name, ends in self.intervals.items()},
            "not_identified": self.not_identified,
            "fitted_range": boxes,
            "log_half_width": [_half_width(part) for part in errors],
            "configurations": configurations,
            "errors_percent": [ape(part) for part in errors if part.size],
        }


def _half_width(errors: np.ndarray) -> float:
    return round(float(np.quantile(np.abs(errors), 0.9)), 4) if errors.size else 0.0


def fit_effect(
    starts: Mapping[str, float],
    log_bandwidth: Callable[[Mapping[str, float], np.ndarray], np.ndarray],
    measured_mib_s: np.ndarray,
    groups: np.ndarray | None = None,
    half_range: float = HALF_RANGE,
) -> EffectFit:
    """Fit positive parameters.

    Args:
        starts: name -> start value.
        log_bandwidth: (parameters, index of rows) -> logarithm of the bandwidth in MiB/s.
        measured_mib_s: shape (rows,).
        groups: group of each row, shape (rows,); each group is kept aside once. None: `FOLDS` random groups.
        half_range: of the logarithms around their start values; a parameter at an end of it is not identified.
    """
    from scipy.optimize import least_squares

    names, prior = list(starts), np.log(list(starts.values()))
    log_measured = np.log(measured_mib_s)

    def solve(index: np.ndarray, first: np.ndarray, evaluations: int):
        def misses(logs: np.ndarray) -> np.ndarray:
            return log_bandwidth(dict(zip(names, np.exp(logs), strict=True)), index) - log_measured[index]

        bounds = prior - half_range, prior + half_range
        return least_squares(misses, first, bounds=bounds, loss="soft_l1", f_scale=LOSS_SCALE, max_nfev=evaluations)

    everything = np.arange(log_measured.size)
    solution = solve(everything, prior, EVALUATIONS)
    if _open(solution, prior, half_range).any():
        # a fit of few rows may end in another minimum, often at an end of the range: try further starts
        shifts = np.random.default_rng(0).normal(0.0, START_SPREAD, (STARTS, prior.size))
        fits = (solve(everything, prior + shift, EVALUATIONS) for shift in np.clip(shifts, -half_range, half_range))
        best = min(fits, key=lambda fit: fit.cost)
        solution = best if best.cost < LOWER * solution.cost else solution
    errors = np.empty(log_measured.size)
    for aside in _folds(everything, groups):
        training = np.setdiff1d(everything, aside)
        logs = solve(training, solution.x, FOLD_EVALUATIONS).x
        errors[aside] = log_bandwidth(dict(zip(names, np.exp(logs), strict=True)), aside) - log_measured[aside]
    deviation = _deviations(solution)
    return EffectFit(
        parameters=dict(zip(names, np.exp(solution.x).tolist(), strict=True)),
        intervals={
            name: (float(np.exp(x - NORMAL_90 * s)), float(np.exp(x + NORMAL_90 * s)))
            for name, x, s in zip(names, solution.x, np.minimum(deviation, HALF_RANGE), strict=True)
        },
        not_identified=[name for name, left in zip(names, _open(solution, prior, half_range), strict=True) if left],
        errors=errors,
    )


def _folds(everything: np.ndarray, groups: np.ndarray | None) -> list[np.ndarray]:
    if groups is not None:
        return [np.flatnonzero(groups == group) for group in np.unique(groups)]
    order = np.random.default_rng(0).permutation(everything.size)
    return [order[fold::FOLDS] for fold in range(FOLDS)]


def _open(solution: OptimizeResult, prior: np.ndarray, half_range: float) -> np.ndarray:
    """Mask of the parameters that the rows do not identify: uncertain, or at an end of their range."""
    return (_deviations(solution) > WEAK) | (np.abs(solution.x - prior) > half_range - 0.01)


def _deviations(solution: OptimizeResult) -> np.ndarray:
    """Standard deviations of the logarithms; large for a parameter that the rows do not identify."""
    freedom = max(solution.fun.size - solution.x.size, 1)
    variance = float(np.sum(solution.fun**2)) / freedom
    values, vectors = np.linalg.eigh(solution.jac.T @ solution.jac)
    return np.sqrt(variance * (vectors**2 @ (1.0 / np.maximum(values, 1e-9))))
