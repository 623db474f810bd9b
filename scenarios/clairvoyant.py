"""The plan of the clairvoyant: dynamic programming on the means of redrawn windows, for each context.

The state is the load of the coming window (without foresight: of the last window) and the queues (`System.load`). A
setting's value at a state is a mean over the windows of a `Sample` with the nearest states: the window's payoff plus
the value of the next state at the best setting. Averages of neighbours make the iteration converge (Gordon, "Stable
function approximation in dynamic programming", ICML 1995; Ormoneit and Sen, "Kernel-based reinforcement learning",
Machine Learning 2002).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.survey import Sample
from pmtwin.scenarios.system import Setting

DISCOUNT = 0.9
SWEEPS = 40
"""After 40 rounds 0.9^40 = 0.015 of a window's payoff is left out."""


NEIGHBOURS = 20
"""Windows at nearly the same load that a mean is of, out of 256: few, since the load of the others differs."""


def nearest(states: np.ndarray, queries: np.ndarray, count: int) -> np.ndarray:
    """Places of the `count` states nearest to each query, shape (m, count).

    Args:
        states: shape (n, d). queries: shape (m, d).
    """
    count = min(count, len(states))
    distance = ((queries[:, None, :] - states[None, :, :]) ** 2).sum(axis=2)
    return np.argpartition(distance, count - 1, axis=1)[:, :count]


class WindowPlan(NamedTuple):
    """Values of n settings at visited states.

    Fields:
        settings: n of them. states: shape (n, m, d), logarithms of loads. values: shape (n, m). neighbours: windows
        that a mean is of.
    """

    settings: tuple[Setting, ...]
    states: np.ndarray
    values: np.ndarray
    neighbours: int = NEIGHBOURS

    @property
    def usual(self) -> Setting:
        """The setting that is worth most on average."""
        return self.settings[int(self.values.mean(axis=1).argmax())]

    def best(self, state: tuple[float, ...]) -> Setting:
        """The setting that is worth most before a window in this state."""
        return self.settings[int(self._worth(state).argmax())]

    def with_what_follows(self, payoff: float, state: tuple[float, ...]) -> float:
        """A window's payoff, and the value of the state after it."""
        return payoff + DISCOUNT * float(self._worth(state).max())

    def _worth(self, state: tuple[float, ...]) -> np.ndarray:
        """Value of each setting, shape (n,)."""
        if self.states.shape[2] == 0:
            return self.values.mean(axis=1)
        distance = ((self.states - np.log(state)) ** 2).sum(axis=2)
        count = min(self.neighbours, distance.shape[1])
        near = np.argpartition(distance, count - 1, axis=1)[:, :count]
        return np.take_along_axis(self.values, near, axis=1).mean(axis=1)


def window_plan(sample: Sample, foresight: bool = True, neighbours: int = NEIGHBOURS) -> WindowPlan:
    """The plan of one case.

    Args:
        foresight: whether the load of the coming window is known.
        neighbours: windows of a mean; all of them where the system has no load.
    """
    states, payoff = np.log(sample.load), sample.payoff
    if not foresight:
        last, queued = states[:, :, :-1, : sample.offered], states[:, :, 1:, sample.offered :]
        states, payoff = np.concatenate([last, queued], axis=3), payoff[:, :, 1:]
    count, redraws, windows = payoff.shape
    before = states[:, :, :-1].reshape(count, redraws * windows, -1)
    after = states[:, :, 1:].reshape(count * redraws * windows, -1)
    payoff = payoff.reshape(count, -1)
    if before.shape[2] == 0:
        return WindowPlan(sample.settings, before, payoff, neighbours)
    index = np.stack([nearest(states_of, after, neighbours) for states_of in before])  # (settings, points, neighbours)
    values = payoff.copy()
    rows = np.arange(count)[:, None, None]
    for _ in range(SWEEPS):
        best = values[rows, index].mean(axis=2).max(axis=0)
        values = payoff + DISCOUNT * best.reshape(count, -1)
    return WindowPlan(sample.settings, before, values, neighbours)
