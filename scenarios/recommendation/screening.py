"""Ranking of all settings by formulas: the share of windows that keep the goals, then the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.system import Setting
from pmtwin.sim.control import LOWER, Goal

SOFTNESS = 0.1
"""Standard error of the formulas, as a logarithm: a value near a goal's limit counts as partly kept."""

LOADS = 4
"""Number of loads in the formulas if the load changes from window to window."""

FIRST = 40
"""Number of settings that the formulas choose; a coarse grid is added in case they are wrong."""

LEVELS = 5
"""Largest number of values of each number of a setting in the coarse grid."""

MOST_SETTINGS = 20_000


class Screen(NamedTuple):
    """Predictions of formulas for all settings.

    Fields:
        settings: all settings.
        share: shape (settings,), 0 to 1: soft share of windows that meet all goals.
        margin: shape (settings,): mean log ratio of limit and value, for the goal nearest to its limit.
        measures: name -> predicted values, shape (loads, settings); None in a combination of several screens.
    """

    settings: list[Setting]
    share: np.ndarray
    margin: np.ndarray
    measures: Mapping[str, np.ndarray] | None = None

    @property
    def order(self) -> np.ndarray:
        """Indices of the settings, best first."""
        return np.lexsort((-self.margin, -np.round(self.share, 3)))

    def best(self) -> Setting:
        """The best setting."""
        return self.first(1)[0]

    def judged(self, goals: Sequence[Goal]) -> Screen:
        """The screen of the same predictions under other goals."""
        if self.measures is None:
            raise ValueError("a combination of screens has no measures")
        return _judged(self.settings, self.measures, goals)

    def first(self, count: int) -> list[Setting]:
        """The best `count` settings, best first."""
        return [self.settings[place] for place in self.order[:count]]


def margins(goals: Sequence[Goal], measures: Mapping[str, np.ndarray]) -> np.ndarray:
    """Smallest margin of the goals: log(limit / value), or log(value / limit) for measures where higher is better.

    Args:
        measures: name -> values, arrays of the same shape, which the result has too.
    """
    logarithms = []
    for goal in goals:
        values = measures[goal.measure.name]
        values = np.where(np.isnan(values), goal.limit, values)  # a window without a value has no margin
        ratio = np.log(np.maximum(values, 1e-9) / max(goal.limit, 1e-9))
        logarithms.append(-ratio if goal.measure.better == LOWER else ratio)
    return np.min(logarithms, axis=0)


def screen(
    scenario: Scenario, context: int | str, goals: Sequence[Goal], seed: int, pace: float = 1.0
) -> Screen | None:
    """Predictions for all settings by the scenario's formulas; None if the scenario has no formulas.

    Args:
        pace: factor on the offered load.
    """
    settings = list(scenario.settings.all()) if len(scenario.settings) <= MOST_SETTINGS else []
    measures = scenario.predicted(context, settings, LOADS, seed, pace) if settings else None
    if measures is None:
        return None
    return _judged(settings, measures, goals)


def _judged(settings: list[Setting], measures: Mapping[str, np.ndarray], goals: Sequence[Goal]) -> Screen:
    least = margins(goals, measures)
    return Screen(settings, special.ndtr(least / SOFTNESS).mean(axis=0), least.mean(axis=0), measures)


def kept_share(goals: Sequence[Goal], measures: Mapping[str, np.ndarray]) -> np.ndarray:
    """Share of windows that meet all goals, shape (settings,); soft only for measures where lower is better.

    Goals of other measures are exact: no system serves more than the offered load, so that a goal above it is missed
    for certain.

    Args:
        measures: name -> values, shape (loads, settings).
    """
    soft = [goal for goal in goals if goal.measure.better == LOWER]
    share = np.ones(next(iter(measures.values())).shape)
    if soft:
        share = special.ndtr(margins(soft, measures) / SOFTNESS)
    for goal in goals:
        if goal.measure.better != LOWER:
            share = share * goal.met(measures[goal.measure.name])
    return share.mean(axis=0)


def candidates(scenario: Scenario, screened: Screen | None) -> list[Setting]:
    """Settings to simulate: the formulas' best, then a coarse grid."""
    grid = coarse_grid(scenario)
    preferred = [] if screened is None else screened.first(FIRST)
    return list(dict.fromkeys([*preferred, *grid]))


def coarse_grid(scenario: Scenario) -> list[Setting]:
    """A few settings that cover the whole range."""
    steps = [_levels(values) for values in scenario.settings.levels]
    return [
        tuple(int(number) for number in row) for row in np.stack(np.meshgrid(*steps), axis=-1).reshape(-1, len(steps))
    ]


def _levels(values: Sequence[int]) -> np.ndarray:
    """A few values of a setting's number: at equal ratios of a range, or equally spaced in a list of values."""
    if isinstance(values, range):
        return np.unique(np.rint(np.geomspace(max(values[0], 1), values[-1], LEVELS)).astype(int))
    return np.array(values)[np.unique(np.rint(np.linspace(0, len(values) - 1, LEVELS)).astype(int))]
