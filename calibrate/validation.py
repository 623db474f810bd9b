"""Cross-validation of mechanism and residual; whole configurations, thread counts or curves are kept aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit
from pmtwin.calibrate.ranges import fitted_boxes, octaves_outside
from pmtwin.calibrate.rivals import Brackets, brackets, spread

CONFIGURATION_FOLDS = 12
CURVE_FOLDS = 12
FOLD_EVALUATIONS = 12
"""Evaluations in the fit of a fold, which starts from the fit to all data."""


@dataclass(frozen=True)
class Unseen:
    """Errors of predictions for kept-aside data of one operation, shape (errors,) each.

    Args:
        index: index of the configuration.
        mechanism: log(predicted / measured) of the mechanism.
        full: log(predicted / measured) of mechanism and residual.
        deviation: standard deviation of `full` by the residual's process.
        outside: distance from the rest of the data, in octaves; 0 inside. Outside, there is no residual.
        spread: distance of rival explanations in log bandwidth (`pmtwin.calibrate.rivals`); 0 if the rest of the data
            has the thread count.
    """

    index: np.ndarray
    mechanism: np.ndarray
    full: np.ndarray
    deviation: np.ndarray
    outside: np.ndarray
    spread: np.ndarray

    def __len__(self) -> int:
        return self.index.size

    def take(self, chosen: np.ndarray) -> Unseen:
        """The errors at an index array or mask."""
        return Unseen(**{name: values[chosen] for name, values in vars(self).items()})


def configuration_folds(count: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Index arrays of configurations to keep aside: a random partition. Replicates stay together in a configuration."""
    order = rng.permutation(count)
    folds = min(CONFIGURATION_FOLDS, count)
    for fold in range(folds):
        yield np.sort(order[fold::folds])


def thread_folds(threads: np.ndarray) -> Iterator[np.ndarray]:
    """Index arrays of whole thread counts to keep aside, without the smallest and the largest count.

    Without those two, a fold would be an extrapolation.
    """
    for count in np.unique(threads)[1:-1]:
        yield np.flatnonzero(threads == count)


def curve_folds(configurations: Configurations, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Index arrays of whole curves to keep aside: a random partition of (pattern, DIMMs, size)."""
    curve = curve_numbers(configurations)
    order = rng.permutation(curve.max() + 1)
    folds = min(CURVE_FOLDS, order.size)
    for fold in range(folds):
        yield np.flatnonzero(np.isin(curve, order[fold::folds]))


def curve_numbers(configurations: Configurations) -> np.ndarray:
    """Number of each configuration's curve, from 0: shape (configurations,)."""
    keys = np.column_stack([configurations.random, configurations.dimms, configurations.access_size_bytes])
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def keep_aside(
    operation: str, configurations: Configurations, fit: MechanismFit, folds: Iterable[np.ndarray]
) -> Unseen:
    """Errors on each fold of a fit without it; there is at least one fold."""
    parts = []
    for aside in folds:
        training_rows = np.setdiff1d(np.arange(len(configurations)), aside)
        parts.append(_fold_errors(operation, configurations, fit, training_rows, aside))
    return Unseen(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _fold_errors(
    operation: str, configurations: Configurations, fit: MechanismFit, training_rows: np.ndarray, aside: np.ndarray
) -> tuple[np.ndarray, ...]:
    training, unseen = configurations.take(training_rows), configurations.take(aside)
    regressor = BandwidthRegressor(operation, max_evaluations=FOLD_EVALUATIONS, start=fit)
    regressor.fit(features_of(training), training.bandwidth_mib_s, effective_write_ratio=training.effective_write_ratio)
    measured = np.log(unseen.bandwidth_mib_s)
    predicted, deviation = regressor.predict_log(features_of(unseen))
    mechanism = regressor.mechanism_.log_bandwidth(unseen) - measured
    outside = octaves_outside(unseen, fitted_boxes(training))
    around = brackets(training, unseen)
    rival_spread = np.where(around.between, _spread(regressor, unseen, around, mechanism + measured, predicted), 0.0)
    return aside, mechanism, predicted - measured, deviation, outside, rival_spread


def _spread(
    regressor: BandwidthRegressor, points: Configurations, around: Brackets, mechanism: np.ndarray, full: np.ndarray
) -> np.ndarray:
    def log_bandwidth(threads: np.ndarray) -> np.ndarray:
        return regressor.predict_log(features_of(replace(points, threads=threads)))[0]

    return spread(log_bandwidth, points.threads, around, mechanism, full)


def earned_cells(configurations: Configurations, *judges: Unseen | None) -> dict[tuple[str, float], bool]:
    """(pattern, DIMMs) -> whether the residual improves predictions of unseen data.

    Args:
        judges: errors on kept-aside data; a cell is judged by the first that has errors of it. Errors outside the rest
            of the data do not count, since no residual is used there.
    """
    inside = [errors.take(errors.outside == 0) for errors in judges if errors is not None]
    earned = {}
    for pattern, dimms in sorted(set(zip(configurations.pattern.tolist(), configurations.dimms.tolist(), strict=True))):
        cell = (configurations.pattern == pattern) & (configurations.dimms == dimms)
        of_cell = [judge.take(cell[judge.index]) for judge in inside]
        judge = next((judge for judge in of_cell if len(judge)), None)
        earned[pattern, dimms] = judge is not None and bool(np.abs(judge.mechanism).mean() > np.abs(judge.full).mean())
    return earned


def with_cells(unseen: Unseen, configurations: Configurations, earned: dict[tuple[str, float], bool]) -> Unseen:
    """The same errors, but with those of the mechanism if no residual is used: outside the data, or in a cell."""
    rows = configurations.take(unseen.index)
    used = np.array([earned[cell] for cell in zip(rows.pattern.tolist(), rows.dimms.tolist(), strict=True)], dtype=bool)
    return replace(unseen, full=np.where(used & (unseen.outside == 0), unseen.full, unseen.mechanism))
