"""Base class of policies that run an agent trained in the Gymnasium environment, by any library."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.base import Action, Policy, PolicyContext
from pmtwin.policies.grammar import FIELD
from pmtwin.sim.control import shown_measures
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.control.window_history import WindowHistory
from pmtwin.sim.errors import InputError

USUAL = MappingProxyType({"normalize": False, "measures": False, "history": 1})
"""Default arguments of the environment that shape observations."""


class Agent(Policy):
    """Base class for trained agents: declare the observations in `sees`, and write `decide`.

        from pmtwin.policies import Agent

        class Mine(Agent):
            sees = {"normalize": True, "measures": True, "history": 2}

            def decide(self, observation):
                return model.predict(observation)

    The same `sees` makes the environment of the training: `gymnasium.make("pmtwin/NvmMiddleware-v2", **Mine.sees)`.
    """

    sees: ClassVar[Mapping[str, Any]] = USUAL
    """Arguments of the training environment that differ from their defaults: `normalize`, `measures`, `history`."""

    from_zero: ClassVar[bool] = False
    """Whether the agent was trained with `pmtwin.ActionsFromZero`, where the lowest number of a setting is 0."""

    @abstractmethod
    def decide(self, observation: np.ndarray) -> Any:
        """Choose an action.

        Args:
            observation: float array, in the form of the training environment.

        Returns:
            An action of the training environment: the numbers of a setting (tuple, list or array), or the number of a
            discrete action.
        """

    def start(self, context: PolicyContext) -> None:
        """Begin a run at the scenario's initial setting, without windows of earlier runs.

        Raises:
            InputError: for an unknown name in `sees`, or observations that the scenario does not have.
        """
        sees = {**USUAL, **self.sees}
        if unknown := sorted(set(sees) - set(USUAL)):
            raise InputError(FIELD, self.spec, f"sees = {{...}} of {', '.join(USUAL)}", wrong=f"sees {unknown}")
        shown = shown_measures(context.measures, context.goals) if sees["measures"] else ()
        self._history = WindowHistory([measure.name for measure in shown], sees["history"])
        self._normalization = None
        if sees["normalize"]:
            self._normalization = Normalization(context.columns, shown, context.goals, sees["history"])
        self._settings = context.settings
        self._stay = context.stay(context.initial) if shown else None

    def act(self, observation: np.ndarray, info: Mapping | None = None) -> Action:
        """The agent's decision; no change before the first measurement if the agent sees measures."""
        if not self._history.shown_by(info):
            return self._stay
        state = self._history.add(observation, info)
        action = self.decide(state if self._normalization is None else self._normalization.observation(state))
        if np.ndim(action) == 0:
            return action
        numbers = np.asarray(action).tolist()
        return self._settings.of_agent(numbers, self.from_zero) if self._settings else tuple(numbers)
