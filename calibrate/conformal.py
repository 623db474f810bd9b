"""Prediction intervals from errors on kept-aside data: locally scaled split-conformal prediction.

The scale of a point, a measure of how hard it is to predict, is learned: it is the standard deviation of the residual's
process at the point, times the typical error in that unit by a random forest. The 90th percentile of error over scale
is a factor for half-widths: one for measured thread counts and sizes, from errors on kept-aside configurations, and one
for sizes between them, from errors on kept-aside curves (a Mondrian taxonomy: Vovk et al., "Algorithmic Learning in a
Random World", section 4.5). Source: Lei et al., "Distribution-Free Predictive Inference for Regression", JASA 2018,
section 5.2. A scale of 1 everywhere, plain split-conformal prediction, has a worse interval score on errors out of fold
(`studies/plain_intervals.py`) and on rows that are withheld from everything (`studies/trial.py --plain`).

Between thread counts plain split-conformal prediction is no worse, and simpler: a quantile of the errors on kept-aside
counts is used. Errors are exchangeable within a kind only, and errors at one thread count belong together. With about a
dozen counts, they say little about another count, which may lie at a knee. Therefore the spread of rival explanations
(`pmtwin.calibrate.rivals`), which needs no errors, is added in squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from sklearn.ensemble import RandomForestRegressor

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.residual import coordinates_of
from pmtwin.calibrate.validation import Unseen, curve_numbers
from pmtwin.sim.device.intervals import COVERAGE

KINDS = ("configurations", "thread_counts", "curves")
"""Kinds of kept-aside data: single configurations, all of one thread count, all thread counts of one size."""

BETWEEN, NEW_SIZE = 1, 2
"""Indices in `KINDS` for points whose thread count, or size, lies between measured ones."""

FLOOR = 0.1
"""Added to errors (in standard deviations) before their logarithm is taken."""

GROUPS = 5
"""Forests for each kind, each grown without one group of configurations, thread counts or curves, so that the scale of
an error does not depend on the error. Whole thread counts are left out, because their errors are alike."""

TREES, MIN_LEAF = 60, 5

RIVAL_SHARE = 0.6
"""Share of the distance to the furthest rival explanation. With 8 and 12 threads withheld, where loads have knees
(`studies.trial`), a share of 0.5 covers three quarters of the errors, and 1 makes intervals twice as wide."""

OCTAVE_HALF_WIDTH = 0.15
"""Least growth of a half-width per octave outside the data."""

DECIMALS = 6
"""Decimals of the inputs of a forest: their last bits depend on the process, and trees would decide ties by them."""


class LocalInterval:
    """Half-widths of the prediction interval of log bandwidth, from one operation's errors on kept-aside data.

    Args:
        configurations: those of the operation.
        unseen: kind (of `KINDS`) -> errors on kept-aside data; "configurations" is required.

    Attributes:
        coverage_: kind -> share of its errors inside their interval, out of fold.
        half_widths_: kind -> half-width for each of its errors, out of fold.
    """

    def __init__(self, configurations: Configurations, unseen: Mapping[str, Unseen]):
        errors, deviation, index, spread = (
            np.concatenate(parts)
            for parts in zip(
                *((np.abs(err.full), err.deviation, err.index, err.spread) for err in unseen.values()),
                strict=True,
            )
        )
        kind = np.repeat([KINDS.index(name) for name in unseen], [len(err) for err in unseen.values()])
        points = coordinates_of(configurations.take(index))
        excess = errors / deviation
        count = np.unique(points[:, 0], return_inverse=True)[1]
        asides = list(_groups(kind, (index, count, curve_numbers(configurations)[index])))
        features = _features(points, deviation)
        scale = deviation * _out_of_group(features, excess, asides)
        half = np.where(kind == BETWEEN, 1.0, scale) * _out_of_group_factors(errors, scale, kind, asides)
        half = np.hypot(half, RIVAL_SHARE * spread)
        self.half_widths_ = {name: half[kind == KINDS.index(name)] for name in unseen}
        self.coverage_ = {name: float(np.mean((errors <= half)[kind == KINDS.index(name)])) for name in unseen}
        factors = ((number, _factor(errors, scale, kind == number, number)) for number in range(len(KINDS)))
        self._factors = {number: factor for number, factor in factors if factor is not None}
        self._forest = _grown(features, excess)

    def half_widths(
        self, points: np.ndarray, deviation: np.ndarray, kind: np.ndarray | int = 0, spread: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Half-widths at new points.

        Args:
            points: coordinates, shape (points, 5). deviation: the process's standard deviation at each.
            kind: 0 for measured thread counts and sizes, or `BETWEEN` or `NEW_SIZE`.
            spread: distance of rival explanations; 0 at measured thread counts.
        """
        features = _features(points, deviation)
        measured, between = self._factors[0], self._factors.get(BETWEEN)
        new_size = self._factors.get(NEW_SIZE) or measured
        half = np.where(kind == NEW_SIZE, new_size, measured) * deviation * np.exp(self._forest.predict(features))
        if between:
            half = np.where(kind == BETWEEN, between, half)
        return np.hypot(half, RIVAL_SHARE * spread)


def _features(points: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Coordinates, and the logarithm of the deviation."""
    return np.round(np.column_stack([points, np.log(deviation)]), DECIMALS)


def _grown(features: np.ndarray, excess: np.ndarray):
    forest = RandomForestRegressor(TREES, min_samples_leaf=MIN_LEAF, max_features=0.5, random_state=0)
    return forest.fit(features, np.round(np.log(excess + FLOOR), DECIMALS))


def _groups(kind: np.ndarray, numbers: tuple[np.ndarray, ...]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(errors to judge, errors to judge them by) as masks; each error is judged once.

    Args:
        kind: index in `KINDS` of each error.
        numbers: for each kind, the number of the configuration, thread count or curve of each error.
    """
    for judged_kind, number in enumerate(numbers):
        for group in range(GROUPS):
            aside = number % GROUPS == group
            if np.any(judged := aside & (kind == judged_kind)):
                yield judged, ~aside if np.any(~aside) else aside


def _out_of_group(features: np.ndarray, excess: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Typical error at each point, in standard deviations, by a forest that was grown without the point's group."""
    typical = np.empty(excess.size)
    for judged, training in groups:
        typical[judged] = np.exp(_grown(features[training], excess[training]).predict(features[judged]))
    return typical


def _out_of_group_factors(
    errors: np.ndarray, scale: np.ndarray, kind: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """The factor for each error from the errors of its kind in the other groups, for the coverage out of fold."""
    factors = np.empty(errors.size)
    for judged, training in groups:
        same_kind = training & (kind == kind[judged][0])
        factors[judged] = _factor(errors, scale, same_kind if np.any(same_kind) else training, kind[judged][0])
    return factors


def _factor(errors: np.ndarray, scale: np.ndarray, chosen: np.ndarray, kind: int) -> float | None:
    """Factor of a kind on the scale or, between thread counts, its half-width; None without errors of the kind."""
    if not np.any(chosen):
        return None
    scores = np.sort((errors if kind == BETWEEN else errors / scale)[chosen])
    rank = min(int(np.ceil((scores.size + 1) * COVERAGE)), scores.size)
    return float(scores[rank - 1])  # the ceil((n + 1) q)-th smallest


class OutsideInterval:
    """Half-width of log bandwidth outside the data, where the mechanism predicts without the residual.

    Args:
        inside: errors on unseen data inside; the mechanism's 90th percentile is the half-width at the edge.
        beyond: errors on unseen data outside, from which its growth is estimated; None: there are none.

    Attributes:
        half_width, half_width_per_octave: as in the profile.
        is_measured: whether the growth was estimated; an assumed one is not written into the profile.
    """

    def __init__(self, inside: Unseen, beyond: Unseen | None):
        self.half_width = float(np.quantile(np.abs(inside.mechanism), COVERAGE))
        growth = OCTAVE_HALF_WIDTH
        self.is_measured = beyond is not None
        if beyond is not None:
            needed = (np.abs(beyond.mechanism) - self.half_width) / beyond.outside
            growth = max(growth, float(np.quantile(needed, COVERAGE)))
        self.half_width_per_octave = growth

    def log_half_width(self, octaves: np.ndarray) -> np.ndarray:
        """Half-width at a distance from the data, in octaves."""
        return self.half_width + self.half_width_per_octave * octaves
