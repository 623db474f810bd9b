"""Actions of an environment: the numbers of a setting, or the number of a discrete action."""

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
    """Checks and conversions of the actions of an environment.

    Args:
        scenario: scenario with settings and actions.
        jumps: whether an agent's action is the next setting; otherwise it is an action of the scenario.

    Attributes:
        space: Gymnasium space of an agent's actions. A setting is given by its numbers: `(8, 8)` means 8 threads and 8
            threads, as a tuple, a list or an array. A number with a list of values is given by its index in that list,
            from 0.
    """

    def __init__(self, scenario: Scenario, jumps: bool):
        self._scenario, self._jumps = scenario, jumps
        settings = scenario.settings
        self.space = scenario.action_space
        if jumps:
            require(scenario, SETTINGS, "actions with jumps=True are")
            self.space = gymnasium.spaces.MultiDiscrete(settings.widths, start=settings.starts)

    def of_agent(self, action: Any, field: str = FIELD) -> Any:
        """The action for the system, from an action of an agent.

        Raises:
            InputError: for an action outside the space, or a truth value.
        """
        if isinstance(action, bool) or not _holds(self.space, action):
            raise InputError(field, _plain(action), self.described + self._hint(action))
        if self._jumps:
            settings = self._scenario.settings
            return settings.check(field, settings.of_agent(action) if settings.values else action)
        if self.space.shape:  # lists and tuples count as arrays
            return np.asarray(action, dtype=self.space.dtype)
        return action

    def of_policy(self, choice: Any) -> Any:
        """The action for the system, from a policy's choice.

        Args:
            choice: an action of the scenario, a setting to jump to, or (), which changes nothing.

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
        """The remedy for the error, if the action would be valid counted from 0."""
        space = self.space
        if not self._jumps or not isinstance(space, gymnasium.spaces.MultiDiscrete) or not any(space.start):
            return ""
        from_zero = gymnasium.spaces.MultiDiscrete(space.nvec)
        return "; an agent that counts from 0 needs pmtwin.ActionsFromZero(env)" if _holds(from_zero, action) else ""

    @property
    def described(self) -> str:
        """An agent's actions, for errors."""
        if not self._jumps:
            return _described(self.space)
        settings = self._scenario.settings
        return settings.allowed + ("; for a number with a list of values its index, from 0" if settings.values else "")

    @property
    def described_choices(self) -> str:
        """A policy's choices, for errors."""
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
    """The action for errors: plain numbers for arrays of integers, otherwise so that its type shows."""
    is_whole = isinstance(action, np.ndarray | np.generic) and action.dtype.kind == "i"
    if is_whole:
        return action.tolist()
    plain = bool | int | float | str | list | tuple | dict | np.ndarray | np.generic | None
    return action if isinstance(action, plain) else repr(action)  # a worker process might not send back a generator
