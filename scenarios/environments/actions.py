"""Actions of an environment, each with one meaning in every form: a setting's own numbers, or the number of a move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from pmtwin.scenarios.capabilities.required import SETTINGS, require
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario

FIELD = "action"


class Actions:
    """What an environment can be told to do.

    Args:
        scenario: whose settings and own actions count.
        jumps: whether an agent's action is the next setting; otherwise one of the scenario's own.

    Attributes:
        space: Gymnasium space of an agent's actions. Where these are settings, from the least of each number on:
            `(8, 8)` is 8 threads and 8 threads, as a tuple, a list and an array. Of a number with stated values it is
            the place among them, from 0 on.
    """

    def __init__(self, scenario: Scenario, jumps: bool):
        self._scenario, self._jumps = scenario, jumps
        settings = scenario.settings
        self.space = scenario.action_space
        if jumps:
            require(scenario, SETTINGS, "actions with jumps=True are")
            self.space = gymnasium.spaces.MultiDiscrete(settings.widths, start=settings.starts)

    def of_agent(self, action: Any, field: str = FIELD) -> Any:
        """What a system is told to do for an action of an agent.

        Raises:
            InputError: unless the space contains it. A truth value is no number.
        """
        if isinstance(action, bool) or not _holds(self.space, action):
            raise InputError(field, _plain(action), self.described + self._hint(action))
        if self._jumps:
            settings = self._scenario.settings
            return settings.check(field, settings.of_agent(action) if settings.values else action)
        if self.space.shape:  # a list or a tuple is the array that it stands for
            return np.asarray(action, dtype=self.space.dtype)
        return action

    def of_policy(self, choice: Any) -> Any:
        """What a system is told to do for a policy's choice: an action of the scenario's own, or a setting; () nothing.

        Raises:
            InputError: for another value.
        """
        settings = self._scenario.settings
        if isinstance(choice, tuple) and (settings or not choice):
            return settings.check(settings.noun, choice) if choice else choice
        if not isinstance(choice, bool) and _holds(self._scenario.action_space, choice):
            return choice
        if settings and isinstance(choice, list | np.ndarray) and np.ndim(choice) == 1:
            return settings.check(settings.noun, choice)
        raise InputError(FIELD, _plain(choice), self.described_choices)

    def _hint(self, action: Any) -> str:
        """The remedy, for what an agent that counts from 0 would say."""
        space = self.space
        if not self._jumps or not isinstance(space, gymnasium.spaces.MultiDiscrete) or not any(space.start):
            return ""
        from_zero = gymnasium.spaces.MultiDiscrete(space.nvec)
        return "; an agent that counts from 0 needs pmtwin.ActionsFromZero(env)" if _holds(from_zero, action) else ""

    @property
    def described(self) -> str:
        """An agent's actions, in words."""
        if not self._jumps:
            return _described(self.space)
        settings = self._scenario.settings
        return settings.allowed + ("; of a number with stated values its place, from 0" if settings.values else "")

    @property
    def described_choices(self) -> str:
        """A policy's choices, in words."""
        settings = self._scenario.settings
        jumps = f"; or {settings.noun} to jump to, a tuple of {settings.allowed}" if settings else ""
        return f"{_described(self._scenario.action_space)}{jumps}"


def _described(space: gymnasium.Space) -> str:
    if isinstance(space, gymnasium.spaces.Discrete):
        return f"an action number, {space.start} to {space.start + space.n - 1}"
    return f"an action of {space}"


def _holds(space: gymnasium.Space, action: Any) -> bool:
    try:
        return bool(space.contains(action))
    except (TypeError, ValueError, OverflowError):  # a list of lists of unlike lengths, a number beyond 64 bits
        return False


def _plain(action: Any) -> Any:
    """For errors: the numbers, unless their type is what is wrong."""
    is_whole = isinstance(action, np.ndarray | np.generic) and action.dtype.kind == "i"
    return action.tolist() if is_whole else action
