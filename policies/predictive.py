"""A model-predictive controller: forecasts every setting by formulas, jumps to the one likeliest to keep the goals.

Certainty-equivalent control with a horizon of one window (Bertsekas, "Dynamic Programming and Optimal Control", section
6.1): estimate, search all settings, apply, repeat. It is not trained. What it believes of the system comes from the
scenario (`Scenario.forecaster`); what the formulas tell wrongly of a latency is learnt from the settings in force.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.control import LOWER, Goal
from pmtwin.sim.options import Options, option

FARTHEST = 0.5
"""Of the logarithm of measured over forecast, in one window: outliers are no bias."""

TINY = 1e-12


@dataclass(frozen=True)
class PredictiveOptions(Options):
    """The numbers of the controller."""

    softness: float = option(0.1, "relative error of the forecast near a goal", low=0.001, high=1.0)
    hysteresis: float = option(0.03, "share of windows by which another setting must be better", low=0.0, high=1.0)
    bias_rate: float = option(0.1, "share of the newest window in the estimated bias", low=0.0, high=1.0)


@register("predictive")
class Predictive(Policy):
    """Forecasts all settings by the scenario's formulas for the load that it sees, and jumps to the best; untrained."""

    Takes = PredictiveOptions

    def start(self, context: PolicyContext):
        """Takes goals and forecaster from the context; begins with the scenario's own setting.

        Raises:
            InputError: in a scenario without goals, settings or formulas.
        """
        from pmtwin.policies.value.inputs import check_served, every_setting

        check_served(context)
        if context.forecaster is None:
            raise self.unserved(context, "formulas that forecast all settings")
        self._goals, self._keep = context.goals, context.stay
        self._columns, self._settings = context.setting_columns, every_setting(context.settings)
        self._forecaster = context.forecaster()
        self._bias = dict.fromkeys((goal.measure.name for goal in self._goals), 0.0)

    def act(self, observation, info=None):
        """The setting to jump to; the one in force while nothing has been measured, or where hardly better is found."""
        present = tuple(round(float(observation[column])) for column in self._columns)
        if not info or not all(goal.measure.name in info for goal in self._goals):
            return self._keep(present)
        measures, settled = self._forecaster.forecast(np.asarray(observation, dtype=float), info, self._settings)
        at = int(np.flatnonzero((self._settings == present).all(axis=1))[0])
        worth = self._kept(measures)
        if settled:
            self._learn_bias(measures, info, at)
        best = int(worth.argmax())
        if best == at or worth[best] < worth[at] + self.options.hysteresis:
            return self._keep(present)
        return tuple(self._settings[best].tolist())

    def _kept(self, measures) -> np.ndarray:
        """Probability that a window keeps all goals, at each setting: the mean over the loads that may come."""
        kept = 1.0
        for goal in self._goals:
            margin = self._margin(goal, measures[goal.measure.name]) / self.options.softness
            kept = kept / (1.0 + np.exp(-np.clip(margin, -50.0, 50.0)))
        return kept.mean(axis=0)

    def _margin(self, goal: Goal, forecast: np.ndarray) -> np.ndarray:
        """By how much the goal is kept, as a logarithm; below 0 it is missed."""
        expected = np.log(np.maximum(forecast, TINY)) + self._bias[goal.measure.name]
        return (1.0 if goal.measure.better == LOWER else -1.0) * (np.log(goal.limit) - expected)

    def _learn_bias(self, measures, info, at: int) -> None:
        """Of measures that are to be low: throughput is bounded by what comes, whatever the formulas say."""
        for goal in self._goals:
            name, forecast = goal.measure.name, float(measures[goal.measure.name][-1, at])
            if goal.measure.better == LOWER and info[name] > 0.0 and forecast > 0.0:
                error = float(np.clip(np.log(info[name] / forecast), -FARTHEST, FARTHEST))
                self._bias[name] += self.options.bias_rate * (error - self._bias[name])
