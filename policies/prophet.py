"""The prophet: knows the coming window itself, its random numbers included. A yardstick, no policy.

It tries the coming window at each setting of the clairvoyant's survey, and takes the one whose payoff together with
what the queues that it leaves are worth is highest. What comes after that window it knows no better than the
clairvoyant without foresight: a bound on what knowing one window more can bring, not on what any policy could
reach.
"""

from __future__ import annotations

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("prophet")
class Prophet(Policy):
    """Tries the coming window, random numbers and all, at each of the surveyed settings, and jumps to the best."""

    needs_context = True
    needs_trials = True

    def start(self, context: PolicyContext):
        """The setting that is best on average in the first context.

        Raises:
            InputError: if there are no plans, or no settings to jump to.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not context.plans:
            raise InputError("plans", context.plans, "a plan for each context, from a survey (pmtwin evaluate)")
        self._plans, self._stay = {name: plans[False, False] for name, plans in context.plans.items()}, context.stay
        self.on_context(context.context)
        self._present, self._tried = self._plan.usual, None
        return self._present

    def on_context(self, context):
        """Settings and values of `context` from the next window on."""
        if context not in self._plans:
            raise InputError("context", context, f"one of the plans: {', '.join(map(str, self._plans))}")
        self._plan = self._plans[context]

    def on_trials(self, tried):
        """Outcome of each setting in the coming window."""
        self._tried = tried

    def act(self, observation, info=None):
        """The jump; the setting in force among equals, and where nothing can be tried."""
        if self._tried is None:
            return self._stay(self._present)
        worth = {}
        for setting in dict.fromkeys((self._present, *self._plan.settings)):
            payoff, load = self._tried(setting)
            worth[setting] = self._plan.with_what_follows(payoff, (*load.offered, *load.queued))
        target = max(worth, key=worth.__getitem__)
        if target == self._present:
            return self._stay(target)
        self._present = target
        return target
