"""The best single setting for all contexts: a baseline that every adaptive policy should beat."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("best-constant")
class BestConstant(Policy):
    """Keeps the one setting with the highest mean payoff over all contexts.

    The setting is `PolicyContext.constant`. The search for it uses other random numbers than the run.
    """

    needs_context = True

    def start(self, context: PolicyContext):
        """The setting.

        Raises:
            InputError: if the scenario has no settings, or no search has been made.
        """
        if context.settings is None:
            raise self.unserved(context, "settings to choose from")
        if context.constant is None:
            raise InputError("constant", None, "a setting from a search (pmtwin evaluate)")
        self._setting = tuple(map(int, context.constant))
        self._stay = context.stay
        return self._setting

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """The action that changes nothing."""
        return self._stay(self._setting)
