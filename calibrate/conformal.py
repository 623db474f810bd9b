"""Prediction intervals from errors on kept-aside data: locally scaled split-conformal prediction.

The local scale of a point is the mean error of its nearest kept-aside configurations; the 90th percentile of error over
scale (with a margin for small samples) makes it a half-width. Lei et al., "Distribution-Free Predictive Inference for
Regression", JASA 2018, section 5.2.
"""

from __future__ import annotations

import numpy as np

from calibrate.measurements import Configurations
from calibrate.residual import coordinates
from calibrate.validation import Unseen
from sim.device.intervals import COVERAGE

NEIGHBOURS = 5
SCALES = np.array((1.0, 3.0, 0.4, 0.3, 1.1))
"""Distance between neighbours is measured in these, along `calibrate.residual.coordinates`."""

FLOOR = 0.004
"""Added to every scale: the noise of a measurement."""

ERROR_CAP = 0.10
"""A larger error counts as this one in a scale, so that a single miss does not widen all its neighbourhood."""


def local_scale(
    points: np.ndarray, at: np.ndarray, errors: np.ndarray, excluded: np.ndarray | None = None
) -> np.ndarray:
    """Mean absolute error of the nearest neighbours plus the floor.

    Args:
        points: coordinates, shape (points, 5).
        at: coordinates of the known errors, shape (errors, 5).
        errors: of log bandwidth, shape (errors,).
        excluded: True where a neighbour may not be used, shape (points, errors).
    """
    a, b = points / SCALES, at / SCALES
    distance = (a**2).sum(1)[:, None] - 2.0 * a @ b.T + (b**2).sum(1)
    if excluded is not None:
        distance = np.where(excluded, np.inf, distance)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :NEIGHBOURS]
    return FLOOR + np.minimum(np.abs(errors), ERROR_CAP)[nearest].mean(axis=1)


class LocalInterval:
    """Half-widths of the prediction interval of log bandwidth, from one operation's errors on kept-aside data.

    Fitted attributes: `factor_` (half-width over local scale), `coverage_` (out of fold), `half_widths_` (out of fold).
    """

    def __init__(self, configurations: Configurations, unseen: Unseen):
        of = configurations.take(unseen.index)
        self._at = coordinates(of.random, of.access_size_bytes, of.threads, of.dimms, of.power_w)
        self._errors = unseen.full
        same_fold = unseen.fold[:, None] == unseen.fold[None, :]
        scale = local_scale(self._at, self._at, self._errors, same_fold)
        scores = np.abs(self._errors) / scale
        self.factor_ = _conformal_quantile(scores)
        # Coverage is judged with the factor of the other folds only.
        self.half_widths_ = np.empty(scores.size)
        for fold in np.unique(unseen.fold):
            inside = unseen.fold == fold
            self.half_widths_[inside] = _conformal_quantile(scores[~inside]) * scale[inside]
        self.coverage_ = float(np.mean(np.abs(self._errors) <= self.half_widths_))

    def table(self, cell: dict) -> np.ndarray:
        """Half-widths over the knots of a cell, shape (powers, sizes, threads)."""
        mesh = np.meshgrid(cell["power_w"], cell["access_size_bytes"], cell["threads"], indexing="ij")
        power, size, threads = (axis.ravel().astype(float) for axis in mesh)
        random = np.full(power.shape, cell["pattern"] == "random")
        points = coordinates(random, size, threads, np.full(power.shape, float(cell["dimms"])), power)
        return self.factor_ * local_scale(points, self._at, self._errors).reshape(mesh[0].shape)


def _conformal_quantile(scores: np.ndarray) -> float:
    """The ceil((n + 1) 0.9)-th smallest score."""
    rank = min(int(np.ceil((scores.size + 1) * COVERAGE)), scores.size)
    return float(np.sort(scores)[rank - 1])
