"""The clairvoyant: knows context, offered rate and queues, not the random numbers to come. A yardstick, no policy."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class ClairvoyantOptions(Options):
    """How it may change the setting."""

    steps: bool = option(False, "one numbered action a window, towards the setting that it would jump to")


@register("clairvoyant")
class Clairvoyant(Policy):
    """Plans each window with its context, offered rate and queues known, but not the coming random numbers.

    The plan of each context is made elsewhere (`PolicyContext.plans`), on other random numbers than those of the run.
    """

    Takes = ClairvoyantOptions
    needs_context = True
    needs_load = True

    def start(self, context: PolicyContext):
        """The setting that is best on average in the first context; with steps the scenario's own.

        Raises:
            InputError: if there are no plans, or a scenario has no moves to step by.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not context.plans:
            raise InputError("plans", context.plans, "a plan for each context, from a survey (pmtwin evaluate)")
        if self.options.steps and not (context.settings.moves and context.is_discrete):
            raise self.unserved(context, "numbered actions that move the setting")
        self._plans, self._settings, self._stay = context.plans, context.settings, context.stay
        self._present, self._load = context.initial, ()
        self.on_context(context.context)
        if not self.options.steps:
            self._present = self._plan.usual
        return self._present

    def on_context(self, context):
        """Plan for `context` from the next window on."""
        if context not in self._plans:
            raise InputError("context", context, f"one of the plans: {', '.join(map(str, self._plans))}")
        self._plan = self._plans[context]

    def on_load(self, load):
        """The load of the coming window."""
        self._load = load

    def act(self, observation, info=None):
        """The jump, or the step that comes nearest to it."""
        target = self._plan.best(self._load)
        if target == self._present:
            return self._stay(target)
        if not self.options.steps:
            self._present = target
            return target
        moves = range(len(self._settings.moves))
        after = [self._settings.moved(self._present, move) for move in moves]
        move = min(moves, key=lambda k: sum(abs(a - b) for a, b in zip(after[k], target, strict=True)))
        if after[move] == self._present:
            return self._stay(self._present)
        self._present = after[move]
        return move
