"""Actions counted from 0, for libraries that know no other: Stable-Baselines3 is one."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Discrete, MultiDiscrete
from gymnasium.utils import RecordConstructorArgs

from pmtwin.sim.errors import InputError


class ActionsFromZero(gymnasium.ActionWrapper, RecordConstructorArgs):
    """An environment whose numbered actions begin with 0, whatever the numbers of the environment below begin with.

    Stable-Baselines3 leaves `start` of `Discrete` and `MultiDiscrete` out: its agents answer 0 for the first value.
    With 1 to 32 threads, the action 0 of this wrapper is 1 thread.

    Args:
        env: with actions of `Discrete` or `MultiDiscrete`.

    Raises:
        InputError: for other actions.
    """

    def __init__(self, env: gymnasium.Env):
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        below = env.action_space
        if isinstance(below, MultiDiscrete):
            self._start: Any = below.start
            self.action_space = MultiDiscrete(below.nvec, dtype=below.dtype)
        elif isinstance(below, Discrete):
            self._start = below.start
            self.action_space = Discrete(below.n, dtype=below.dtype)
        else:
            raise InputError("action space", str(below), "Discrete or MultiDiscrete")

    def action(self, action: Any) -> Any:
        """The same action as the environment below counts it.

        Raises:
            InputError: unless the space of this wrapper contains it. A truth value is no number.
        """
        if isinstance(action, bool) or not self.action_space.contains(action):
            raise InputError("action", np.asarray(action).tolist(), f"of {self.action_space}, counted from 0")
        return np.asarray(action, dtype=self.action_space.dtype) + self._start


class Version1(ActionsFromZero):
    """The actions of version 1 of an environment: lists and arrays count from 0, as agents learned then.

    Tuples counted from 1 there. They are refused: nobody can say which was meant.
    """

    def action(self, action: Any) -> Any:
        """See `ActionsFromZero`; raises `InputError` for a tuple too."""
        if isinstance(action, tuple):
            allowed = (
                "a list or an array, counted from 0; or version 2 of the environment, where all count from 1 thread"
            )
            raise InputError("action", action, allowed, wrong="is a tuple, which version 1 counted from 1")
        return super().action(action)
