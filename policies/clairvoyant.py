"""The clairvoyant: knows context, offered load and queues, but not the coming random numbers.

Without foresight it knows the context and the load of the last window. The difference between both variants is the
value of knowing the coming load, which no policy can learn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class ClairvoyantOptions(Options):
    """Limits on changes of the setting, and knowledge of the future."""

    steps: bool = option(False, "at most one numbered action per window, also in the plan; without it: jumps")
    foresight: bool = option(True, "knowledge of the coming window's load; without it the load of the last window")


@register("clairvoyant")
class Clairvoyant(Policy):
    """Plans each window with its context, offered rate and queues known, but not the coming random numbers.

    `PolicyContext.plans` has the plan of each context. Plans are computed with other random numbers than the run.
    """

    Takes = ClairvoyantOptions
    options: ClairvoyantOptions
    needs_context = True
    needs_load = True

    def start(self, context: PolicyContext):
        """The setting that is best on average in the first context; with steps the scenario's initial setting.

        Raises:
            InputError: if there are no plans or no settings, or, with steps, no numbered actions that move the setting.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not context.plans:
            raise InputError("plans", context.plans, "a plan for each context, from a survey (pmtwin evaluate)")
        if self.options.steps and not (context.settings.moves and context.is_discrete):
            raise self.unserved(context, "numbered actions that move the setting")
        self._plans = {name: plans[self.options.foresight, self.options.steps] for name, plans in context.plans.items()}
        self._settings, self._stay = context.settings, context.stay
        self._present, self._state, self._offered = context.initial, (), ()
        self.on_context(context.context)
        if not self.options.steps:
            self._present = self._plan.usual
        return self._present

    def on_context(self, context: int | str | None):
        """Plan for `context` from the next window on."""
        if context not in self._plans:
            raise InputError("context", context, f"one of the plans: {', '.join(map(str, self._plans))}")
        self._plan = self._plans[context]

    def on_load(self, load: Any):
        """Receive the plan's input: the load of the coming (or last) window, and the queues."""
        usual = (1.0,) * len(load.offered)  # ratios to the offered load that the context states
        known = load.offered if self.options.foresight else self._offered or usual
        self._state, self._offered = (*known, *load.queued), load.offered

    def act(self, observation, info=None):
        """A jump, or a step; from a setting that the plan does not have, a step towards the nearest one that it has."""
        target = self._plan.best(self._state, self._present)
        if target == self._present:
            return self._stay(target)
        if not self.options.steps:
            self._present = target
            return target
        move = self._settings.towards(self._present, target)
        after = self._settings.moved(self._present, move)
        if after == self._present:
            return self._stay(self._present)
        self._present = after
        return move
