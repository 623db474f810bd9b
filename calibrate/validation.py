"""Cross-validation of mechanism and residual, with whole configurations or whole thread counts kept aside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibrate.estimators import BandwidthRegressor, features_of
from calibrate.measurements import Configurations
from calibrate.mechanism import MechanismFit

CONFIGURATION_FOLDS = 12
FOLD_EVALUATIONS = 12
"""A fold starts from the fit of all data, which it has to leave only a little."""


@dataclass(frozen=True)
class Unseen:
    """Errors of predictions for data that was kept aside, of one operation.

    Args:
        index: of the configurations that were kept aside in some fold.
        fold: in which one.
        mechanism: log(predicted / measured) of the mechanism alone.
        full: the same of mechanism and residual.
        deviation: standard deviation that the residual's process expects of it.
    """

    index: np.ndarray
    fold: np.ndarray
    mechanism: np.ndarray
    full: np.ndarray
    deviation: np.ndarray


def configuration_folds(count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Index arrays of configurations to keep aside: a random partition (replicates stay together: they are one)."""
    order = rng.permutation(count)
    folds = min(CONFIGURATION_FOLDS, count)
    for fold in range(folds):
        yield np.sort(order[fold::folds])


def thread_folds(threads: np.ndarray) -> Iterator[np.ndarray]:
    """Index arrays of whole thread counts to keep aside, one at a time, those in between only.

    The smallest and the largest count stay: without them the fold would ask for an extrapolation.
    """
    for count in np.unique(threads)[1:-1]:
        yield np.flatnonzero(threads == count)


def keep_aside(
    operation: str, configurations: Configurations, fit: MechanismFit, folds: Iterator[np.ndarray]
) -> Unseen | None:
    """Refit without each fold and predict it; None if there are no folds."""
    parts = []
    for number, aside in enumerate(folds):
        rest = np.setdiff1d(np.arange(len(configurations)), aside)
        parts.append(_one_fold(operation, configurations, fit, rest, aside, number))
    if not parts:
        return None
    return Unseen(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _one_fold(
    operation: str, all_of_it: Configurations, fit: MechanismFit, rest: np.ndarray, aside: np.ndarray, number: int
) -> tuple[np.ndarray, ...]:
    seen, unseen = all_of_it.take(rest), all_of_it.take(aside)
    regressor = BandwidthRegressor(operation, max_evaluations=FOLD_EVALUATIONS, start=fit)
    regressor.fit(features_of(seen), seen.bandwidth_mib_s, effective_write_ratio=seen.effective_write_ratio)
    measured = np.log(unseen.bandwidth_mib_s)
    predicted, deviation = regressor.predict_log(features_of(unseen))
    mechanism = regressor.mechanism_.log_bandwidth(unseen) - measured
    return aside, np.full(aside.size, number), mechanism, predicted - measured, deviation


def earned_cells(
    configurations: Configurations, by_threads: Unseen | None, by_configuration: Unseen
) -> dict[tuple[str, float], bool]:
    """Whether the residual predicts unseen thread counts better than the bare mechanism, by (pattern, DIMMs).

    A cell without an inner thread count is judged on unseen configurations.
    """
    earned = {}
    for pattern, dimms in sorted(set(zip(configurations.pattern.tolist(), configurations.dimms.tolist(), strict=True))):
        cell = (configurations.pattern == pattern) & (configurations.dimms == dimms)
        judge = by_threads if by_threads is not None and np.any(cell[by_threads.index]) else by_configuration
        inside = cell[judge.index]
        gain = np.abs(judge.mechanism[inside]).mean() - np.abs(judge.full[inside]).mean()
        earned[pattern, dimms] = bool(gain > 0)
    return earned


def with_cells(unseen: Unseen, configurations: Configurations, earned: dict[tuple[str, float], bool]) -> Unseen:
    """The same errors, with the bare mechanism's in cells whose residual is not used."""
    of = configurations.take(unseen.index)
    used = np.array([earned[cell] for cell in zip(of.pattern.tolist(), of.dimms.tolist(), strict=True)])
    return replace(unseen, full=np.where(used, unseen.full, unseen.mechanism))


def ape(log_error: np.ndarray) -> list[float]:
    """[median, mean, 90th percentile] of the absolute percentage error, rounded to 0.01."""
    percent = 100.0 * np.abs(np.expm1(log_error))
    return [round(float(value), 2) for value in (np.median(percent), percent.mean(), np.quantile(percent, 0.9))]
