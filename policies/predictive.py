"""Model-predictive controller: forecasts each setting by formulas, jumps to the one likeliest to keep the goals.

The horizon is one window (Bertsekas, "Dynamic Programming and Optimal Control", section 6.1). Settings are compared
over a distribution of the coming load; unfinished work counts as windows lost later. The policy is not trained. The
scenario estimates system and load (`Scenario.forecaster`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import cast

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.policies.registry import register
from pmtwin.policies.value.inputs import check_served
from pmtwin.sim.control import LOWER, Settings
from pmtwin.sim.control.forecast import Forecast, Forecaster
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option

STEP = 1.25
"""Ratio of neighbouring numbers among the compared settings; small numbers are 1 apart."""

NEAR = 0.3
"""Value of a window that barely misses the goals, where keeping them is worth 1; as in the training of afterstates."""

TINY = 1e-12


@dataclass(frozen=True)
class PredictiveOptions(Options):
    """Parameters of the controller."""

    hysteresis: float = option(
        0.02, "smallest gain for a change of the setting, as a share of windows", low=0.0, high=1.0
    )
    backlog: float = option(
        3.0, "cost of leaving all urgent work of a window unfinished, in lost windows", low=0.0, high=100.0
    )
    host_estimate: bool = option(True, "estimate the system from measurements (no: take the scenario's parameters)")


@register("predictive")
class Predictive(Policy):
    """Forecasts each setting by the scenario's formulas over the loads that may come; jumps to the best. Untrained."""

    Takes = PredictiveOptions
    options: PredictiveOptions

    @classmethod
    def check_scenario(cls, context: PolicyContext):
        """Refuse scenarios without goals, settings or formulas.

        Raises:
            InputError: for such a scenario.
        """
        check_served(context, cls.called())
        if context.forecaster is None:
            allowed = f"in a scenario with formulas that forecast all settings, which {context.scenario} has not"
            raise InputError(FIELD, cls.called(), allowed)

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: as `check_scenario`.
        """
        self.check_scenario(context)
        self._goals, self._keep = context.goals, context.stay
        self._columns, self._settings = context.setting_columns, compared_settings(context.controlled)
        make = cast("Callable[..., Forecaster]", context.forecaster)
        self._forecaster = make(host_estimate=self.options.host_estimate)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The setting to jump to; no change before the first measurement, or where the gain is below the hysteresis."""
        present = tuple(round(float(observation[column])) for column in self._columns)
        if not info or not all(goal.measure.name in info for goal in self._goals):
            return self._keep(present)
        settings = np.vstack([self._settings, present])
        forecast = self._forecaster.forecast(np.asarray(observation, dtype=float), info, settings)
        kept, near = self._kept(forecast)
        worth = forecast.weights @ (kept + NEAR * (1.0 - kept) * near - self.options.backlog * forecast.left)
        best = int(worth.argmax())
        # The hysteresis shrinks with the best chance to keep the goals: where there is none, a change costs nothing,
        # and a system that catches up shows the true rates of the load.
        if worth[best] - worth[-1] <= self.options.hysteresis * (forecast.weights @ kept).max():
            return self._keep(present)
        return tuple(settings[best].tolist())

    def _kept(self, forecast: Forecast) -> tuple[np.ndarray, np.ndarray]:
        """(probability that a window keeps all goals, nearness to the goals from 0 to 1), shape (loads, settings)."""
        kept = near = cast("np.ndarray", 1.0)  # an array once the first goal is in
        for goal in self._goals:
            name = goal.measure.name
            margin = np.log(goal.limit) - np.log(np.maximum(forecast.measures[name], TINY))
            margin = np.clip(margin if goal.measure.better == LOWER else -margin, -50.0, 50.0)
            kept = kept / (1.0 + np.exp(-np.clip(margin / forecast.errors[name], -50.0, 50.0)))
            near = near * np.exp(np.minimum(margin, 0.0))
        return kept, near


def compared_settings(settings: Settings) -> np.ndarray:
    """The settings to compare, int64, shape (n, numbers); neighbouring numbers differ by 1, or by the ratio `STEP`."""
    ranges = []
    for levels in settings.levels:
        values = [levels[0]]
        while values[-1] < levels[-1]:
            place = bisect_left(levels, max(values[-1] + 1, int(STEP * values[-1])))
            values.append(levels[min(place, len(levels) - 1)])
        ranges.append(values)
    return np.array(list(product(*ranges)), dtype=np.int64)
