"""Policies between windows that use a `Choice`, which usually decides inside the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.inline import Choice
from pmtwin.policies.learned import save_learned
from pmtwin.policies.specified import WINDOW
from pmtwin.policies.trained_for import check_trained_for
from pmtwin.sim.decisions.point import DecisionPoint


class WindowChoice(Policy):
    """Chooses among the numbered actions of a scenario; moves that would leave the bounds are masked.

    The features of the choice are the observation, its reward is the reward of the window.

    Attributes:
        choice: the policy that decides.
        state: its state in this run.
    """

    Chooses: ClassVar[type[Choice]]
    """Class of the policy that decides; it takes the same options."""

    trainable = "pmtwin.policies.training.inline:InlineTraining"

    def __init__(self, options: Any = None):
        super().__init__(options)
        self.choice = self.Chooses(self.options)
        self.origin = getattr(self.choice, "origin", {})

    @classmethod
    def check_scenario(cls, context: PolicyContext) -> None:
        """Refuse scenarios without a choice among numbered actions.

        Raises:
            InputError: for a scenario with fewer than two numbered actions.
        """
        context.check_choice()

    @property
    def files(self) -> tuple[str, ...]:
        """The file with what the policy has learned."""
        return self.choice.files

    def freeze(self) -> None:
        """Stop learning in the coming runs."""
        self.choice.freeze()

    def start(self, context: PolicyContext) -> None:
        """Begin a run at the scenario's initial setting, with what the file has learned.

        Raises:
            InputError: if the file was trained for another scenario or other observations, or the scenario has fewer
                than two numbered actions.
        """
        self.check_scenario(context)
        actions, settings = context.action_count, context.settings
        if self.files:
            check_trained_for(context, self.origin, len(context.columns), None, self.files[0])
        self._settings = settings if settings and len(settings.moves) == actions else None
        self._columns = context.setting_columns if self._settings else ()
        point = DecisionPoint(
            settings.noun if settings else WINDOW, "the end of a window", features=context.columns,
            actions=tuple(map(str, range(actions))), masked=self._settings is not None,
        )  # fmt: skip
        self._scenario = context.scenario
        self.state = self.choice.at(point).state(point, int(context.generator().integers(2**63)))

    def act(self, observation: np.ndarray, info: Mapping | None = None) -> int:
        """The chosen action."""
        from pmtwin.sim.decisions.choice import decide  # numba is loaded for runs only

        return decide(self.state, np.array(observation, dtype=float), self._mask(observation))

    def observe(
        self, observation: np.ndarray, action: Any, reward: float, next_observation: np.ndarray, done: bool
    ) -> None:
        """Learn from the reward of the window."""
        from pmtwin.sim.decisions.choice import observe

        observe(self.state, np.array(observation, dtype=float), action, float(reward))

    def save(self, path: str) -> Path:
        """Write a file as `pmtwin train` does."""
        learner = copy(self.choice)
        learner.memory = learner.memory_of([self.state])
        return save_learned(path, {"": learner}, {**self.origin, "scenario": self._scenario})

    def _mask(self, observation: np.ndarray) -> np.ndarray:
        """Which actions stay within the bounds; empty if actions do not move a setting."""
        if self._settings is None:
            return np.zeros(0, np.bool_)
        setting = tuple(round(float(observation[column])) for column in self._columns)
        return np.array([self._settings.shifted(setting, move) is not None for move in self._settings.moves])
