"""An agent that was trained in the Gymnasium environment, by any library, as a policy: it sees what it saw there."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.base import FIELD, Action, Policy, PolicyContext
from pmtwin.sim.control import shown_measures
from pmtwin.sim.control.normalization import Normalization
from pmtwin.sim.control.window_history import WindowHistory
from pmtwin.sim.errors import InputError

USUAL = MappingProxyType({"normalize": False, "measures": False, "history": 1})
"""Arguments of the environment that decide on observations, by default."""


class Agent(Policy):
    """A trained agent. Derive from it, state what it sees, and write `decide`.

        from pmtwin.policies import Agent

        class Mine(Agent):
            sees = {"normalize": True, "measures": True, "history": 2}

            def decide(self, observation):
                return model.predict(observation)

    The same `sees` makes the environment of the training: `gymnasium.make("pmtwin/NvmMiddleware-v2", **Mine.sees)`.
    """

    sees: ClassVar[Mapping[str, Any]] = USUAL
    """Arguments of the environment in training: `normalize`, `measures`, `history`; by default none of them."""

    from_zero: ClassVar[bool] = False
    """Whether it was trained behind `pmtwin.ActionsFromZero`: the least number of a setting is 0 to it."""

    @abstractmethod
    def decide(self, observation: np.ndarray) -> Any:
        """The action for an observation, as the environment of the training takes it: a setting's numbers as a tuple, a
        list or an array, or the number of a move.

        Args:
            observation: as that environment shows it.
        """

    def start(self, context: PolicyContext) -> None:
        """Forgets the windows of the run before; begins with the scenario's own setting.

        Raises:
            InputError: for `sees` with another name, or what the scenario cannot show so.
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
        """What the agent decides; no change before a measurement where it sees measures."""
        if not self._history.shown_by(info):
            return self._stay
        numbers = self._history.add(observation, info)
        action = self.decide(numbers if self._normalization is None else self._normalization.observation(numbers))
        if np.ndim(action) == 0:
            return action
        numbers = np.asarray(action).tolist()
        return self._settings.of_agent(numbers, self.from_zero) if self._settings else tuple(numbers)
