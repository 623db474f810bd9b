"""The best fixed setting of each context: an oracle for comparison, not a policy that could be deployed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("best-fixed")
class BestFixed(Policy):
    """Jumps to the best fixed setting of a context when the context begins.

    The table context -> setting is `PolicyContext.best`, from a search before the run.
    """

    needs_context = True

    def start(self, context: PolicyContext):
        """The best setting of the first context.

        Raises:
            InputError: if the scenario has no settings, there is no table, or the first context is missing in it.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if not context.best:
            raise InputError("best", context.best, "a table context -> setting from a search")
        self._table = {name: tuple(map(int, setting)) for name, setting in context.best.items()}
        if context.context is None:
            raise InputError("context", None, "the first context, which an oracle needs")
        self._stay = context.stay
        self.on_context(context.context)
        self._present = self._target
        return self._target

    def on_context(self, context: int | str):
        """The best setting of `context`, from the next action on."""
        if context not in self._table:
            raise InputError("context", context, f"one of the table: {', '.join(map(str, self._table))}")
        self._target = self._table[context]

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """A jump to the setting, then the action that changes nothing."""
        if self._present == self._target:
            return self._stay(self._target)
        self._present = self._target
        return self._target
