"""No middleware: the clients access the memory themselves (the baseline of thesis section 4.2)."""

from pmtwin.policies.base import DIRECT, Policy
from pmtwin.policies.pools import KEEP
from pmtwin.policies.registry import register


@register("none")
class NoMiddleware(Policy):
    """Runs in the mode `direct`; its action changes nothing there."""

    mode = DIRECT

    def act(self, observation, info=None):
        """Always the action that changes nothing."""
        return KEEP

    def exported(self, context):
        """Nothing but its kind."""
        return {"kind": "none"}
