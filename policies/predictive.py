"""A model-predictive controller: forecasts settings by formulas, jumps to the one likeliest to keep the goals.

A horizon of one window (Bertsekas, "Dynamic Programming and Optimal Control", section 6.1), over the loads that may
come in it and not at the likeliest alone; work that is left over counts as windows lost later. It is not trained. How
system and load are estimated comes from the scenario (`Scenario.forecaster`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import cast

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.control import LOWER, Settings
from pmtwin.sim.control.forecast import Forecast
from pmtwin.sim.options import Options, option

STEP = 1.25
"""Ratio of neighbouring numbers of the settings that are compared, from where a step of 1 is less."""

NEAR = 0.3
"""Worth of a window that misses the goals by nearly nothing, beside one that keeps them; as in training afterstates."""

TINY = 1e-12


@dataclass(frozen=True)
class PredictiveOptions(Options):
    """The numbers of the controller."""

    hysteresis: float = option(0.02, "share of windows by which another setting must be better", low=0.0, high=1.0)
    backlog: float = option(3.0, "windows lost for a window's urgent work that is left over", low=0.0, high=100.0)
    host_estimate: bool = option(True, "whether the system is estimated from what windows show; no: it is believed")


@register("predictive")
class Predictive(Policy):
    """Forecasts settings by the scenario's formulas for the loads that may come, and jumps to the best; untrained."""

    Takes = PredictiveOptions
    options: PredictiveOptions

    def start(self, context: PolicyContext):
        """Takes goals and forecaster from the context; begins with the scenario's own setting.

        Raises:
            InputError: in a scenario without goals, settings or formulas.
        """
        from pmtwin.policies.value.inputs import check_served

        check_served(context)
        if context.forecaster is None:
            raise self.unserved(context, "formulas that forecast all settings")
        self._goals, self._keep = context.goals, context.stay
        self._columns, self._settings = context.setting_columns, compared_settings(context.controlled)
        self._forecaster = context.forecaster(host_estimate=self.options.host_estimate)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The setting to jump to; the one in force while nothing has been measured, or where hardly better is found."""
        present = tuple(round(float(observation[column])) for column in self._columns)
        if not info or not all(goal.measure.name in info for goal in self._goals):
            return self._keep(present)
        settings = np.vstack([self._settings, present])
        forecast = self._forecaster.forecast(np.asarray(observation, dtype=float), info, settings)
        kept, near = self._kept(forecast)
        worth = forecast.weights @ (kept + NEAR * (1.0 - kept) * near - self.options.backlog * forecast.left)
        best = int(worth.argmax())
        # where no setting keeps the goals there is nothing to lose, and rates to see: who is behind hides them
        if worth[best] - worth[-1] <= self.options.hysteresis * (forecast.weights @ kept).max():
            return self._keep(present)
        return tuple(settings[best].tolist())

    def _kept(self, forecast: Forecast) -> tuple[np.ndarray, np.ndarray]:
        """(probability that a window keeps all goals, how near it comes: 1 at them), of each load and setting."""
        kept = near = cast("np.ndarray", 1.0)  # an array once the first goal is in
        for goal in self._goals:
            name = goal.measure.name
            margin = np.log(goal.limit) - np.log(np.maximum(forecast.measures[name], TINY))
            margin = np.clip(margin if goal.measure.better == LOWER else -margin, -50.0, 50.0)
            kept = kept / (1.0 + np.exp(-np.clip(margin / forecast.errors[name], -50.0, 50.0)))
            near = near * np.exp(np.minimum(margin, 0.0))
        return kept, near


def compared_settings(settings: Settings) -> np.ndarray:
    """Those that are compared, int64, shape (n, numbers): all small numbers, of the large ones some."""
    ranges = []
    for some in settings.levels:
        values = [some[0]]
        while values[-1] < some[-1]:
            place = bisect_left(some, max(values[-1] + 1, int(STEP * values[-1])))
            values.append(some[min(place, len(some) - 1)])
        ranges.append(values)
    return np.array(list(product(*ranges)), dtype=np.int64)
