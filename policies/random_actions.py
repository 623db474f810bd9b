"""Uniformly random actions: the non-optimal agent that gathers the data set of thesis section 3.4.3."""

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register


@register("random")
class RandomActions(Policy):
    """Draws each action uniformly from the action space; at the limits of the pools some have no effect."""

    def start(self, context: PolicyContext):
        """Seeds the draws; begins with the scenario's own pools."""
        self._action_count = context.action_count
        self._random: np.random.Generator = context.generator()
        return

    def act(self, observation, info=None):
        """One uniform draw."""
        return int(self._random.integers(self._action_count))
