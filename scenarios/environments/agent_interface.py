"""Observations and rewards as an agent receives them: with measures, a history, or normalised."""

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
    """Converts observations and rewards of a scenario into those of an agent.

    Args:
        scenario: scenario with columns, measures and goals.
        normalize, measures, history: as in `ControlEnv`.

    Attributes:
        observation_space: Gymnasium space of the agent's observations.

    Raises:
        InputError: if a column or a measure cannot be normalised.
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
        """Whether an observation has only the columns of the last window."""
        return not self._names and self._windows == 1

    def new_history(self) -> WindowHistory:
        """An empty history of windows, for one environment."""
        return WindowHistory(self._names, self._windows)

    def noted(self, history: WindowHistory, observation: np.ndarray, info: Mapping[str, float]) -> np.ndarray:
        """Add a window to a history; returns the agent's observation before its normalisation, shape (k,)."""
        return observation if self._plain else history.add(observation, info)

    def noted_together(
        self, histories: Sequence[WindowHistory], observations: np.ndarray, measures: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """As `noted`, for n environments: shape (n, k).

        Args:
            histories: history of each environment.
            observations: shape (n, columns).
            measures: name -> values, shape (n,).
        """
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
        """The agent's observations, normalised if asked for, from the numbers of `noted`: shape (..., k)."""
        return numbers if self._normalization is None else self._normalization.observation(numbers)

    def reward(self, value: float | np.ndarray):
        """The agent's reward, normalised if asked for; a number or an array."""
        return value if self._normalization is None else self._normalization.reward(value)
