"""Uniformly random actions: the agent that gathers the data set of thesis section 3.4.3."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register


@register("random")
class RandomActions(Policy):
    """Draws each action uniformly from the action space; at the bounds of a setting some actions have no effect."""

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting, and seed the draws.

        Raises:
            InputError: for a scenario without an action space.
        """
        self._random, self._space = context.generator(), None
        if context.action_space is None:
            raise self.unserved(context, "an action space")
        if context.is_discrete:
            self._actions = context.action_count
        else:
            self._space = copy.deepcopy(context.action_space)
            self._space.seed(int(self._random.integers(2**31 - 1)))

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """A uniform draw."""
        return int(self._random.integers(self._actions)) if self._space is None else self._space.sample()
