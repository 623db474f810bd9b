"""Observations and rewards of an agent, where the scenario's do not suit it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import gymnasium
import numpy as np

from pmtwin.sim.control import shown_measures
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.control.window_history import WindowHistory

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


class AgentInterface:
    """Observations and rewards between a scenario and an agent.

    Args:
        scenario: whose columns, measures and goals count.
        normalize, measures, history: as `ControlEnv` takes them.

    Attributes:
        observation_space: Gymnasium space.

    Raises:
        InputError: where a column or a measure cannot be normalised.
    """

    def __init__(self, scenario: Scenario, normalize: bool, measures: bool, history: int):
        shown = shown_measures(scenario.measures, scenario.goals) if measures else ()
        self._names, self._windows = tuple(measure.name for measure in shown), history
        self.observation_space = scenario.observation_space
        self._normalization = Normalization(scenario.observed, shown, scenario.goals, history) if normalize else None
        if self._normalization is not None:
            bound = self._normalization.bound
            self.observation_space = gymnasium.spaces.Box(-bound, bound, dtype=np.float64)
        elif not self._plain:
            low, high = self.observation_space.low, self.observation_space.high
            low = np.tile([*low, *[0.0] * len(shown)], history)
            high = np.tile([*high, *[np.inf] * len(shown)], history)
            self.observation_space = gymnasium.spaces.Box(low, high, dtype=np.float64)

    @property
    def _plain(self) -> bool:
        """Whether an observation is the last window's alone."""
        return not self._names and self._windows == 1

    def new_history(self) -> WindowHistory:
        """Empty history for the windows of one environment."""
        return WindowHistory(self._names, self._windows)

    def noted(self, history: WindowHistory, observation: np.ndarray, info: Mapping[str, float]) -> np.ndarray:
        """The numbers that an observation is made of, after a window: shape (numbers,)."""
        return observation if self._plain else history.add(observation, info)

    def noted_together(
        self, histories: Sequence[WindowHistory], observations: np.ndarray, measures: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Notes of n environments together: observations of shape (n, columns), of each measure n values."""
        if self._plain:
            return observations
        rows = zip(histories, observations, *(measures[name] for name in self._names), strict=True)
        return np.array(
            [
                history.add(observation, dict(zip(self._names, values, strict=True)))
                for history, observation, *values in rows
            ]
        )

    def observations(self, numbers: np.ndarray) -> np.ndarray:
        """Observations of the agent from such numbers, shape (..., numbers)."""
        return numbers if self._normalization is None else self._normalization.observation(numbers)

    def reward(self, value):
        """Rewards as the agent gets them: a number or an array."""
        return value if self._normalization is None else self._normalization.reward(value)
