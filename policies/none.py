"""No middleware: clients access the storage directly (the baseline of thesis section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register


@register("none")
class NoMiddleware(Policy):
    """Runs the scenario in mode `direct`: clients access the memory themselves, and there are no threads to control."""

    mode = "direct"

    def start(self, context: PolicyContext):
        """Begin a run at the scenario's initial setting.

        Raises:
            InputError: if the scenario has no action that changes nothing.
        """
        self._stay = context.stay(context.initial)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """Always the action that changes nothing."""
        return self._stay

    def exported(self, context: PolicyContext):
        """The kind; there are no other fields."""
        return {"kind": "none"}
