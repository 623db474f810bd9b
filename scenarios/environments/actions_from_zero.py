"""Actions counted from 0, for libraries that support no others, such as Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.utils import RecordConstructorArgs

from pmtwin.sim.errors import InputError


class ActionsFromZero(gymnasium.ActionWrapper, RecordConstructorArgs):
    """Wrapper whose actions are counted from 0, wherever those of the wrapped environment start.

    Stable-Baselines3 ignores `start` of `Discrete` and `MultiDiscrete`: its agents answer 0 for the first value. With 1
    to 32 threads, action 0 of this wrapper means 1 thread.

    Args:
        env: environment with an action space `Discrete` or `MultiDiscrete`.

    Raises:
        InputError: for another action space.
    """

    def __init__(self, env: gymnasium.Env):
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        space = env.action_space
        if isinstance(space, MultiDiscrete):
            self._start: Any = space.start
            self.action_space = MultiDiscrete(space.nvec, dtype=space.dtype)
        elif isinstance(space, Discrete):
            self._start = space.start
            self.action_space = Discrete(space.n, dtype=space.dtype)
        else:
            raise InputError("action space", str(space), "Discrete or MultiDiscrete")

    def action(self, action: Any) -> Any:
        """The action for the wrapped environment.

        Raises:
            InputError: for an action outside the space of this wrapper, or a truth value.
        """
        if isinstance(action, bool) or not self.action_space.contains(action):
            raise InputError("action", np.asarray(action).tolist(), f"of {self.action_space}, counted from 0")
        return np.asarray(action, dtype=self.action_space.dtype) + self._start


class Version1(ActionsFromZero):
    """Actions of version 1 of an environment, for agents trained with it: lists and arrays are counted from 0.

    Version 1 counted tuples from 1; they are refused as ambiguous.
    """

    def action(self, action: Any) -> Any:
        """As `ActionsFromZero.action`; raises `InputError` for a tuple too."""
        if isinstance(action, tuple):
            allowed = (
                "a list or an array, counted from 0; or version 2 of the environment, where all count from 1 thread"
            )
            raise InputError("action", action, allowed, wrong="is a tuple, which version 1 counted from 1")
        return super().action(action)
