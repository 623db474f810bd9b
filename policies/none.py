"""Direct access of the clients to the storage, without a middleware (the baseline of thesis section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.registry import register


@register("none")
class NoMiddleware(Policy):
    """No middleware and no threads to control: clients access the memory themselves (mode `direct`)."""

    mode = "direct"

    def start(self, context: PolicyContext):
        """Begins with the scenario's own setting; `InputError` where no action leaves it alone."""
        self._stay = context.stay(context.initial)

    def act(self, observation: np.ndarray, info: Mapping | None = None):
        """Always the action that changes nothing."""
        return self._stay

    def exported(self, context: PolicyContext):
        """The kind alone."""
        return {"kind": "none"}
