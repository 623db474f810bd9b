"""Prediction intervals from errors on kept-aside data: locally scaled split-conformal prediction.

How hard a point is to predict, its scale, is learned: the standard deviation that the residual's process expects
there, times what errors nearby were in those units. A forest joins the two. The 90th percentile of error over scale
(with a margin for small samples) makes a half-width. Lei et al., "Distribution-Free Predictive Inference for
Regression", JASA 2018, section 5.2.
"""

from __future__ import annotations

import numpy as np

from calibrate.measurements import Configurations
from calibrate.residual import coordinates_of
from calibrate.validation import Unseen
from sim.device.intervals import COVERAGE

SCALES = np.array((0.15, 0.35, 0.15, 0.1, 0.35))
"""Along `calibrate.residual.coordinates`: over this distance an error counts e times less for its neighbour."""

PRIOR_WEIGHT = 0.3
"""Of the mean over all points against errors nearby."""

CAP_QUANTILE = 0.95
"""A larger error counts as this quantile, so that a single miss does not widen all its neighbourhood."""

FLOOR = 0.1
"""Added to errors (in standard deviations) before their logarithm is taken."""

GROUPS = 5
"""Forests, each grown without one group of configurations, for scales that have not seen the error they judge."""

TREES, MIN_LEAF = 60, 10

MARGIN = 0.01
"""Added to the coverage asked of kept-aside data: whole sweeps with rows withheld covered a little less."""

DECIMALS = 6
"""Of what a forest sees: the last bits of a sum depend on the process, and a tree decides by them where values tie."""


class LocalInterval:
    """Half-widths of the prediction interval of log bandwidth, from one operation's errors on kept-aside data.

    Args:
        configurations: of the operation.
        unseen: errors on kept-aside configurations and, if there are any, on kept-aside thread counts.

    Fitted attributes, one entry for each of `unseen`: `coverage_` and `half_widths_`, both out of fold.
    """

    def __init__(self, configurations: Configurations, unseen: list[Unseen]):
        errors, self._deviation, index = (
            np.concatenate(parts)
            for parts in zip(*((np.abs(of.full), of.deviation, of.index) for of in unseen), strict=True)
        )
        kind = np.repeat(np.arange(len(unseen)), [of.index.size for of in unseen])
        fold = np.concatenate([of.fold for of in unseen])
        self._at = coordinates_of(configurations.take(index))
        self._excess = errors / self._deviation
        self._cap = np.quantile(self._excess, CAP_QUANTILE)
        together = (kind[:, None] == kind) & (fold[:, None] == fold) | (index[:, None] == index)
        # Who predicts a new thread count knows no error at it.
        together |= (kind[:, None] > 0) & (self._at[:, :1] == self._at[:, 0])
        features = self._features(self._at, self._deviation, together)
        group = index % GROUPS
        scale = self._deviation * _out_of_group(features, self._excess, group)
        half = _out_of_group_half_widths(errors, scale, group)
        self.half_widths_ = [half[kind == each] for each in range(len(unseen))]
        self.coverage_ = [float(np.mean((errors <= half)[kind == each])) for each in range(len(unseen))]
        self._factor = _conformal_quantile(errors / scale)
        self._forest = _grown(features, self._excess)

    def half_widths(self, points: np.ndarray, deviation: np.ndarray) -> np.ndarray:
        """Half-widths at new coordinates of shape (points, 5), where the process expects these deviations."""
        features = self._features(points, deviation)
        return self._factor * deviation * np.exp(self._forest.predict(features))

    def _features(self, points: np.ndarray, deviation: np.ndarray, excluded: np.ndarray | None = None) -> np.ndarray:
        """Coordinates, the log deviation, and its product with the mean error (in deviations) of the neighbours.

        Args:
            excluded: True where a known error may not be used, shape (points, errors).
        """
        a, b = points / SCALES, self._at / SCALES
        squared = (a**2).sum(1)[:, None] - 2.0 * a @ b.T + (b**2).sum(1)
        weights = np.exp(-np.sqrt(np.maximum(squared, 0.0)))
        if excluded is not None:
            weights[excluded] = 0.0
        capped = np.minimum(self._excess, self._cap)
        nearby = (weights @ capped + PRIOR_WEIGHT * capped.mean()) / (weights.sum(1) + PRIOR_WEIGHT)
        features = np.column_stack([points, np.log(deviation), np.log(deviation * nearby)])
        return np.round(features, DECIMALS)


def _grown(features: np.ndarray, excess: np.ndarray):
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(TREES, min_samples_leaf=MIN_LEAF, max_features=0.5, random_state=0)
    return forest.fit(features, np.round(np.log(excess + FLOOR), DECIMALS))


def _out_of_group(features: np.ndarray, excess: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Typical error in standard deviations at each point, by a forest that has not seen its configuration."""
    typical = np.empty(excess.size)
    for each in np.unique(group):
        aside = group == each
        seen = ~aside if np.any(~aside) else aside
        typical[aside] = np.exp(_grown(features[seen], excess[seen]).predict(features[aside]))
    return typical


def _out_of_group_half_widths(errors: np.ndarray, scale: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Half-widths with the factor of the other groups only: what coverage is judged by."""
    half = np.empty(errors.size)
    for each in np.unique(group):
        aside = group == each
        half[aside] = _conformal_quantile((errors / scale)[~aside if np.any(~aside) else aside]) * scale[aside]
    return half


def _conformal_quantile(scores: np.ndarray) -> float:
    """The ceil((n + 1) q)-th smallest score."""
    rank = min(int(np.ceil((scores.size + 1) * (COVERAGE + MARGIN))), scores.size)
    return float(np.sort(scores)[rank - 1])
