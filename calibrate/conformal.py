"""Prediction intervals from errors on kept-aside data: locally scaled split-conformal prediction.

How hard a point is to predict, its scale, is learned: the standard deviation that the residual's process expects
there, times what a forest says that errors were in those units. The 90th percentile of error over scale makes a
half-width: one for measured thread counts and sizes, from errors on kept-aside configurations, and one for sizes
between them, from errors on kept-aside curves (a Mondrian taxonomy: Vovk et al., "Algorithmic Learning in a Random
World", section 4.5). Lei et al., "Distribution-Free Predictive Inference for Regression", JASA 2018, section 5.2. A
scale of 1 everywhere, plain split-conformal prediction, has a worse interval score on errors out of fold
(`studies/plain_intervals.py`) and on rows that are withheld from everything (`studies/trial.py --plain`).

Between thread counts it is no worse, and simpler: there a quantile of the errors on kept-aside counts is the one half
of the width. Only within a kind are errors exchangeable, and of counts only as whole counts. There are about a dozen,
so that they say little of the next one, which may lie at a knee. The other half, added in squares, needs no errors: how
far rival explanations lie apart (`pmtwin.calibrate.rivals`).
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
"""Of kept-aside data: single configurations, all those of one thread count, all thread counts of one size."""

BETWEEN, NEW_SIZE = 1, 2
"""Places in `KINDS` of points at a thread count, or of a size, between measured ones."""

FLOOR = 0.1
"""Added to errors (in standard deviations) before their logarithm is taken."""

GROUPS = 5
"""Forests of each kind, each grown without one group of configurations, thread counts or curves, for scales that have
not seen the error they judge. Errors at one thread count have much in common: who knows some knows the others."""

TREES, MIN_LEAF = 60, 5

RIVAL_SHARE = 0.6
"""Of the distance to the furthest rival explanation. By `studies.trial` with 8 and 12 threads withheld, which
hold the knees of loads: half of it leaves a quarter of them out, all of it makes intervals twice as wide."""

OCTAVE_HALF_WIDTH = 0.15
"""Least growth of a half-width per octave outside the data, where thread counts that tell of it show less."""

DECIMALS = 6
"""Of what a forest sees: the last bits of a sum depend on the process, and a tree decides by them where values tie."""


class LocalInterval:
    """Half-widths of the prediction interval of log bandwidth, from one operation's errors on kept-aside data.

    Args:
        configurations: of the operation.
        unseen: kind (of `KINDS`) -> errors on kept-aside data; of "configurations" there must be some.

    Fitted attributes, by kind: `coverage_` and `half_widths_`, both out of fold.
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
        factors = ((each, _factor(errors, scale, kind == each, each)) for each in range(len(KINDS)))
        self._factors = {each: factor for each, factor in factors if factor is not None}
        self._forest = _grown(features, excess)

    def half_widths(
        self, points: np.ndarray, deviation: np.ndarray, kind: np.ndarray | int = 0, spread: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Half-widths at new coordinates of shape (points, 5), where the process expects these deviations.

        Args:
            kind: index in `KINDS` of what each point is like: measured, at a thread count or of a size never measured.
            spread: of rival explanations, 0 where the thread count was measured.
        """
        features = _features(points, deviation)
        known, between = self._factors[0], self._factors.get(BETWEEN)
        new_size = self._factors.get(NEW_SIZE) or known
        half = np.where(kind == NEW_SIZE, new_size, known) * deviation * np.exp(self._forest.predict(features))
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
    """(errors to judge, errors that may be known for it) as masks, which judge every error once.

    Args:
        kind: index in `KINDS`.
        numbers: of the configuration, the thread count and the curve of each error: what a kind keeps aside.
    """
    for each, number in enumerate(numbers):
        for group in range(GROUPS):
            aside = number % GROUPS == group
            if np.any(judged := aside & (kind == each)):
                yield judged, ~aside if np.any(~aside) else aside


def _out_of_group(features: np.ndarray, excess: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Typical error in standard deviations at each point, by a forest that has not seen its like."""
    typical = np.empty(excess.size)
    for judged, known in groups:
        typical[judged] = np.exp(_grown(features[known], excess[known]).predict(features[judged]))
    return typical


def _out_of_group_factors(
    errors: np.ndarray, scale: np.ndarray, kind: np.ndarray, groups: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """The factor of the same kind in the other groups: what coverage is judged by."""
    factors = np.empty(errors.size)
    for judged, known in groups:
        alike = known & (kind == kind[judged][0])
        factors[judged] = _factor(errors, scale, alike if np.any(alike) else known, kind[judged][0])
    return factors


def _factor(errors: np.ndarray, scale: np.ndarray, chosen: np.ndarray, kind: int) -> float | None:
    """Half-width of a kind, over the scale but between thread counts; None without such errors."""
    if not np.any(chosen):
        return None
    scores = np.sort((errors if kind == BETWEEN else errors / scale)[chosen])
    rank = min(int(np.ceil((scores.size + 1) * COVERAGE)), scores.size)
    return float(scores[rank - 1])  # the ceil((n + 1) q)-th smallest


class OutsideInterval:
    """Half-width of log bandwidth outside the data, where the mechanism answers alone.

    Args:
        inside: its errors on unseen data inside; their 90th percentile is where the half-width starts.
        beyond: its errors outside, if there are any; they tell how it grows with the distance.

    Attributes:
        half_width, half_width_per_octave: as in the profile.
        told: whether there are errors outside; without them the growth is assumed, and no profile states it.
    """

    def __init__(self, inside: Unseen, beyond: Unseen | None):
        self.half_width = float(np.quantile(np.abs(inside.mechanism), COVERAGE))
        growth = OCTAVE_HALF_WIDTH
        self.told = beyond is not None
        if beyond is not None:
            needed = (np.abs(beyond.mechanism) - self.half_width) / beyond.outside
            growth = max(growth, float(np.quantile(needed, COVERAGE)))
        self.half_width_per_octave = growth

    def log_half_width(self, octaves: np.ndarray) -> np.ndarray:
        """At a distance from the data in octaves."""
        return self.half_width + self.half_width_per_octave * octaves
