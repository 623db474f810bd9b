"""Rewards from the levels of what is raised, on a scale taken from the first ticks and then kept."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.online.presets import LEVEL, Hyperparameters

FIRST_LEVELS = 20
"""Levels from which the scale is taken."""

LEAST_SPREAD = 0.25
"""Least unit of the scale, as a share of the mean level: noise of a few per cent is not blown up to 1."""


class Rewards:
    """Function: (levels at ticks t, levels at ticks t + 1) -> rewards of the actions at t.

    With `level` the reward is (1 - discount) times the scaled level, so that values of actions stay in the range of the
    levels; with `change` it is the difference of two scaled levels, whose discounted sum stays in that range anyway.

    Attributes:
        mean, unit: of the scale; None: not known yet.
    """

    def __init__(self, hyperparameters: Hyperparameters):
        self._hyperparameters = hyperparameters
        self.mean: float | None = None
        self.unit = 1.0

    def fit(self, levels: np.ndarray) -> None:
        """Take the scale from the first levels, if there are `FIRST_LEVELS`; later calls change nothing."""
        if self.mean is None and len(levels) >= FIRST_LEVELS:
            first = levels[:FIRST_LEVELS]
            self.mean = float(first.mean())
            self.unit = max(float(first.std()), LEAST_SPREAD * abs(self.mean)) or 1.0

    def __call__(self, levels: np.ndarray, later: np.ndarray) -> np.ndarray:
        """Rewards, shape (n,)."""
        now, then = self._scaled(levels), self._scaled(later)
        if self._hyperparameters.reward == LEVEL:
            return (1.0 - self._hyperparameters.discount) * then
        return then - now

    def _scaled(self, levels: np.ndarray) -> np.ndarray:
        scaled = (levels - (self.mean or 0.0)) / self.unit
        return np.sign(scaled) * np.log1p(np.abs(scaled)) if self._hyperparameters.compressed else scaled
