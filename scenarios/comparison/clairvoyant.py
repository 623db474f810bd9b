"""The plan of the clairvoyant: dynamic programming over sampled windows, for each context.

The state is the load of the coming window (without foresight: of the last window) and the queues (`System.load`). A
setting's value at a state is a mean over the windows of a `Sample` with the nearest states: the window's payoff plus
the value of the next state at the best setting. Averages of neighbours make the iteration converge (Gordon, "Stable
function approximation in dynamic programming", ICML 1995; Ormoneit and Sen, "Kernel-based reinforcement learning",
Machine Learning 2002).

With jumps any setting can follow any other. With steps only the settings that one discrete action reaches can follow;
then the settings between those of the survey are sampled too (`survey.with_ways`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.comparison.survey import Sample
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import Settings
from pmtwin.sim.control.settings import numbers_apart

DISCOUNT = 0.9
SWEEPS = 40
"""Rounds of value iteration: 40 rounds leave out 0.9^40 = 0.015 of a window's payoff."""


NEIGHBOURS = 20
"""Number of windows with the nearest loads, out of 256, in each mean: few, since the other windows' loads differ."""


def nearest(states: np.ndarray, queries: np.ndarray, count: int) -> np.ndarray:
    """Indices of the `count` states nearest to each query, shape (m, count).

    Args:
        states: shape (n, d).
        queries: shape (m, d).
    """
    count = min(count, len(states))
    distance = ((queries[:, None, :] - states[None, :, :]) ** 2).sum(axis=2)
    return np.argpartition(distance, count - 1, axis=1)[:, :count]


class WindowPlan(NamedTuple):
    """Values of n settings at visited states.

    Fields:
        settings: the n settings.
        states: shape (n, m, d), logarithms of loads.
        values: shape (n, m).
        neighbours: number of windows in a mean.
        reach: for each setting, indices of the settings that can follow it; None: all can.
    """

    settings: tuple[Setting, ...]
    states: np.ndarray
    values: np.ndarray
    neighbours: int = NEIGHBOURS
    reach: tuple[np.ndarray, ...] | None = None

    @property
    def usual(self) -> Setting:
        """The setting with the highest value on average."""
        return self.settings[int(self.values.mean(axis=1).argmax())]

    def best(self, state: tuple[float, ...], present: Setting | None = None) -> Setting:
        """The setting with the highest value before a window in this state.

        With steps, only settings within reach of the `present` setting are considered, if it is given. If `present` is
        not in the plan, the result is the nearest setting in the plan.
        """
        if self.reach is None or present is None:
            return self.settings[int(self._worth(state).argmax())]
        if present not in self.settings:
            return min(self.settings, key=lambda setting: numbers_apart(setting, present))
        places = self.reach[self.settings.index(present)]
        return self.settings[int(places[self._worth(state, places).argmax()])]

    def with_what_follows(self, payoff: float, state: tuple[float, ...]) -> float:
        """A window's payoff plus the discounted value of the state after it."""
        return payoff + DISCOUNT * float(self._worth(state).max())

    def _worth(self, state: tuple[float, ...], places: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Value of each setting, or of the settings with indices `places`."""
        states, values = self.states[places], self.values[places]
        if states.shape[2] == 0:
            return values.mean(axis=1)
        distance = ((states - np.log(state)) ** 2).sum(axis=2)
        count = min(self.neighbours, distance.shape[1])
        near = np.argpartition(distance, count - 1, axis=1)[:, :count]
        return np.take_along_axis(values, near, axis=1).mean(axis=1)


def _within_reach(steps: Settings, settings: tuple[Setting, ...]) -> tuple[np.ndarray, ...]:
    """For each setting, indices of the settings that at most one discrete action reaches."""
    places = {setting: place for place, setting in enumerate(settings)}
    actions = range(len(steps.moves))
    reached = [[setting, *(steps.moved(setting, action) for action in actions)] for setting in settings]
    return tuple(np.unique([places[setting] for setting in row if setting in places]) for row in reached)


def window_plan(
    sample: Sample,
    foresight: bool = True,
    neighbours: int = NEIGHBOURS,
    steps: Settings | None = None,
) -> WindowPlan:
    """The plan for one case.

    Args:
        sample: windows of the case.
        foresight: whether the load of the coming window is known.
        neighbours: number of windows in a mean; all windows if the system has no load.
        steps: settings whose discrete actions are the steps; None: jumps.
    """
    states, payoff = np.log(sample.load), sample.payoff
    if not foresight:
        last, queued = states[:, :, :-1, : sample.offered], states[:, :, 1:, sample.offered :]
        states, payoff = np.concatenate([last, queued], axis=3), payoff[:, :, 1:]
    count, redraws, windows = payoff.shape
    before = states[:, :, :-1].reshape(count, redraws * windows, -1)
    after = states[:, :, 1:].reshape(count, redraws * windows, -1)
    payoff = payoff.reshape(count, -1)
    reach = None if steps is None else _within_reach(steps, sample.settings)
    if before.shape[2] == 0:
        if reach is None:
            return WindowPlan(sample.settings, before, payoff, neighbours)
        neighbours = redraws * windows
    follow = reach or (np.arange(count),) * count
    index = [
        np.stack([nearest(before[place], queries, neighbours) for place in places])  # (places, states, neighbours)
        for places, queries in zip(follow, after, strict=True)
    ]
    values = payoff.copy()
    for _ in range(SWEEPS):
        means = [values[places[:, None, None], near].mean(axis=2) for places, near in zip(follow, index, strict=True)]
        values = payoff + DISCOUNT * np.stack([mean.max(axis=0) for mean in means])
    return WindowPlan(sample.settings, before, values, neighbours, reach)
