"""The rates of both classes, estimated from what windows answer: a Kalman filter of their logarithms.

A logarithm is a level, which stays until the context changes, and a deviation from it that is autoregressive
(`pmtwin.sim.load.RateVariation`). A class that is behind shows only that its rate is above what it was answered: the
normal distribution is cut there and replaced by the one of the same mean and variance (Simon, "Optimal State
Estimation", 2006, section 7.5.4).
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.load import RateVariation

LEVEL_SD = 1.0
"""Of the logarithm of a level of which nothing is known yet."""

DRIFT = 0.02
"""By which a level wanders from window to window."""

FAR = 3.0
"""Standard deviations between measured and expected from which on a context counts as another one."""

GROWTH, GROWTH_SD, KEPT_UP = 1.15, 0.1, 1.03
"""Of tied classes that are held up: factor on what they are answered together, at least, its uncertainty, and the
factor below which an estimate is too low."""

HELD_UP_SD = 0.3
"""Of the logarithm of a level after a change that found tied classes held up."""

SPLIT_SD = 0.1
"""Of the logarithm of the ratio of what held-up classes are answered, beside that of their rates: queues differ."""

CHANGED = -5.0
"""Logarithm of the likelihood of a window after which the context counts as another one."""

CLASSES = np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
"""Rows: level and deviation of a class, out of both levels and both deviations."""


class RateEstimate:
    """What is known of the logarithms of both rates in the last window.

    Args:
        variation: how rates are believed to vary about their level.
        tied: whether a slow class is believed to hold up the other.
    """

    def __init__(self, variation: RateVariation, tied: bool):
        sigma, beside = np.array(variation.sigma), variation.correlation
        self._kept, self.tied = variation.persistence, tied
        self._varied = np.outer(sigma, sigma) * np.array([[1.0, beside], [beside, 1.0]])
        self._state: np.ndarray | None = None
        self._spread = np.zeros((4, 4))

    def update(
        self, answered: np.ndarray, noise: np.ndarray, least: np.ndarray, behind: np.ndarray, anew: bool
    ) -> float:
        """Take a window into account; returns the logarithm of its likelihood.

        Args:
            answered: logarithms of the rates that came, shape (2,). noise: their variances. least: logarithms of the
                rates that were answered. behind: which classes were not answered all that came.
            anew: whether something else tells that the context has changed.
        """
        if self._state is None:
            self._state, anew = np.array([*least, 0.0, 0.0]), True
        else:
            self._state, self._spread = self.coming()
        if self.tied and behind.any():
            return self._held_up(least, noise, anew)
        error, variance = answered - self.mean, np.diag(_rates(self._spread)) + noise
        error = np.where(behind, np.maximum(least - self.mean, 0.0), error)
        changed = anew or (error**2 > FAR**2 * variance).any()
        if changed:
            self._forget(np.where(behind, self.mean, answered), LEVEL_SD)
        likelihood = sum(
            self._cut(CLASSES[c], least[c]) if behind[c] else self._learn(CLASSES[c], answered[c], noise[c])
            for c in range(2)
        )
        return CHANGED if changed else likelihood

    @property
    def mean(self) -> np.ndarray:
        """Of the logarithms, shape (2,)."""
        return CLASSES @ self._state

    def coming(self) -> tuple[np.ndarray, np.ndarray]:
        """(mean, covariance) of levels and deviations in the next window."""
        step = np.array([1.0, 1.0, self._kept, self._kept])
        spread = step[:, None] * self._spread * step
        spread[:2, :2] += DRIFT**2 * np.eye(2)
        spread[2:, 2:] += (1.0 - self._kept**2) * self._varied
        return step * self._state, spread

    def coming_rates(self) -> tuple[np.ndarray, np.ndarray]:
        """(mean, covariance) of the logarithms of both rates in the next window."""
        state, spread = self.coming()
        return CLASSES @ state, _rates(spread)

    def _forget(self, levels: np.ndarray, level_sd: float) -> None:
        """Both classes begin anew at these levels."""
        self._state = np.array([*levels, 0.0, 0.0])
        self._spread = np.zeros((4, 4))
        self._spread[:2, :2], self._spread[2:, 2:] = level_sd**2 * np.eye(2), self._varied

    def _held_up(self, least: np.ndarray, noise: np.ndarray, anew: bool) -> float:
        """Tied classes keep the proportion of their rates, so that the split is seen; the total is a lower bound."""
        row, split = CLASSES[0] - CLASSES[1], least[0] - least[1]
        variance = noise.sum() + SPLIT_SD**2
        answered = float(np.exp(least).sum())
        if anew or (split - row @ self._state) ** 2 > FAR**2 * (row @ self._spread @ row + variance):
            likelihood = CHANGED
            total = max(float(np.exp(self.mean).sum()), GROWTH * answered)
            self._forget(least + math.log(total / answered), HELD_UP_SD)
        else:
            likelihood = self._learn(row, split, variance)
        rates = np.exp(self.mean)
        if rates.sum() < KEPT_UP * answered:
            row = rates / rates.sum() @ CLASSES
            self._learn(row, row @ self._state + math.log(GROWTH * answered / rates.sum()), GROWTH_SD**2)
        return likelihood

    def _learn(self, row: np.ndarray, value: float, variance: float) -> float:
        """Kalman's step: `row` of the state was measured."""
        along = self._spread @ row
        whole, error = row @ along + variance, value - row @ self._state
        gain = along / whole
        self._state = self._state + gain * error
        self._spread = self._spread - np.outer(gain, along)
        return -0.5 * (error**2 / whole + math.log(2.0 * math.pi * whole))

    def _cut(self, row: np.ndarray, least: float) -> float:
        """`row` of the state is at least so much."""
        along = self._spread @ row
        variance = row @ along
        below = (least - row @ self._state) / math.sqrt(variance)
        if below < -4.0:
            return 0.0
        below = min(below, 6.0)
        hazard = math.exp(-0.5 * below**2) / math.sqrt(2.0 * math.pi) / (0.5 * math.erfc(below / math.sqrt(2.0)))
        left = max(1.0 + below * hazard - hazard**2, 1e-3)
        self._state = self._state + along / math.sqrt(variance) * hazard
        self._spread = self._spread - np.outer(along, along) / variance * (1.0 - left)
        return math.log(0.5 * math.erfc(below / math.sqrt(2.0)))


def _rates(spread: np.ndarray) -> np.ndarray:
    """Covariance of both rates, from that of the state."""
    return CLASSES @ spread @ CLASSES.T
