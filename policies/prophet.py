"""The prophet: an oracle that knows the coming window, its random numbers included; for comparison only.

It tries the coming window at each setting of the clairvoyant's survey, and takes the setting with the highest payoff
plus value of the queues that are left. About later windows it knows no more than the clairvoyant without foresight.
So its result bounds the gain from knowing one more window, not the result of every policy.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("prophet")
class Prophet(Policy):
    """Tries the coming window, with its random numbers, at each surveyed setting; jumps to the best."""

    needs_context = True
    needs_trials = True

    def start(self, context: PolicyContext):
        """The setting that is best on average in the first context.

        Raises:
            InputError: if there are no plans or no settings to jump to.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not context.plans:
            raise InputError("plans", context.plans, "a plan for each context, from a survey (pmtwin evaluate)")
        self._plans, self._stay = {name: plans[False, False] for name, plans in context.plans.items()}, context.stay
        self.on_context(context.context)
        self._present, self._trial = self._plan.usual, None
        return self._present

    def on_context(self, context: int | str | None):
        """Use the plan of `context` from the next window on."""
        if context not in self._plans:
            raise InputError("context", context, f"one of the plans: {', '.join(map(str, self._plans))}")
        self._plan = self._plans[context]

    def on_trials(self, trial):
        """Receive the function that tries a setting in the coming window."""
        self._trial = trial

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The setting to jump to; the one in force if it is among the best, or before the first trial."""
        if self._trial is None:
            return self._stay(self._present)
        worth = {}
        for setting in dict.fromkeys((self._present, *self._plan.settings)):
            payoff, load = self._trial(setting)
            worth[setting] = self._plan.with_what_follows(payoff, (*load.offered, *load.queued))
        target = max(worth, key=worth.__getitem__)
        if target == self._present:
            return self._stay(target)
        self._present = target
        return target
