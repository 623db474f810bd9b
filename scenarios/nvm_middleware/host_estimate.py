"""Hand-off and noise of the host, estimated from what windows show: a sigma-point Kalman filter of their logarithms.

They begin at the believed host, as uncertain as the joint draws of its file are. A window is compared with its forecast
at the estimate and one standard deviation to either side of it, along each axis of the uncertainty (central
differences: Simon, "Optimal State Estimation", 2006, chapter 14). A window that is far from its forecast counts less,
as where errors follow Student's t distribution.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

ESTIMATED = (
    "handoff_ns", "handoff_contention_threads", "handoff_contention_power", "handoff_contention_most", "handoff_bytes",
    "client_contention_clients", "cpu_noise_sigma",
)  # fmt: skip
"""Told these and whether classes are tied, the controller keeps as many windows as told the whole host."""

FREEDOM = 4.0
"""Degrees of freedom of Student's distribution."""

FORGOTTEN = 0.01
"""Part of the variance before the first window that comes back with each, since errors of the formulas persist."""

BEYOND = 1.0
"""By which a logarithm may leave the range of the draws."""


class HostEstimate:
    """What is known of the host.

    Args:
        values: resolved parameters, those that are believed.
        draws: plausible hosts, name -> value; empty: nothing is estimated.
        known: names that are certain.
    """

    def __init__(self, values: Mapping[str, float], draws: Sequence[Mapping[str, float]], known: Collection[str] = ()):
        self._values = values
        self.names = [
            name for name in ESTIMATED if name not in known and values[name] > 0.0
            and draws and all(draw.get(name, 0.0) > 0.0 for draw in draws)
        ]  # fmt: skip
        if not self.names:
            return
        logs = np.log([[draw[name] for name in self.names] for draw in draws])
        self._state = np.log([values[name] for name in self.names])
        self._low = np.minimum(logs.min(axis=0) - BEYOND, self._state)
        self._high = np.maximum(logs.max(axis=0) + BEYOND, self._state)
        away = logs - logs.mean(axis=0)
        self._before = away.T @ away / len(logs) + 1e-6 * np.eye(len(self.names))
        self._spread = self._before

    @property
    def values(self) -> Mapping[str, float]:
        """All parameters, at the estimate."""
        return self._at(self._state) if self.names else self._values

    def update(
        self,
        shown: np.ndarray,
        expected: Callable[[Mapping[str, float], np.ndarray], np.ndarray],
        variances: np.ndarray,
        inputs: np.ndarray,
    ) -> None:
        """Take a window into account.

        Args:
            shown: of the window, shape (m,).
            expected: (parameters, deviations of the inputs) -> what such a window would show, shape (m,).
            variances: of the errors, shape (m,).
            inputs: standard deviations of what the forecast is made from, shape (k,).
        """
        centre, exact = self._state, np.zeros(len(inputs))
        axes = np.linalg.cholesky(self._spread)
        by_host = np.array([_half(expected(self._at(centre + axis), exact), expected(self._at(centre - axis), exact))
                            for axis in axes.T])  # fmt: skip
        by_input = np.array([_half(expected(self.values, away), expected(self.values, -away))
                             for away in np.diag(inputs)])  # fmt: skip
        error, explained = shown - expected(self.values, exact), by_host.T @ by_host
        noise = np.diag(variances) + by_input.T @ by_input
        distance = error @ np.linalg.solve(explained + noise, error)
        noise *= max((FREEDOM + distance) / (FREEDOM + len(error)), 1.0)
        along = axes @ by_host
        gain = np.linalg.solve(explained + noise, along.T).T
        self._state = np.clip(centre + gain @ error, self._low, self._high)
        spread = self._spread - gain @ along.T
        self._spread = 0.5 * (spread + spread.T) + FORGOTTEN * self._before

    def _at(self, state: np.ndarray) -> Mapping[str, float]:
        inside = np.exp(np.clip(state, self._low, self._high)).tolist()
        return {**self._values, **dict(zip(self.names, inside, strict=True))}


def _half(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    return 0.5 * (above - below)
