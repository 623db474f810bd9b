"""A fixed pair of pool sizes (the baseline of thesis section 4.3 is `fixed:15,15`)."""

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.pools import KEEP, check_pools, parse_pools
from pmtwin.policies.registry import FIELD, register


@register("fixed")
class Fixed(Policy):
    """Sets the pools once and keeps them.

    Args:
        argument: `"I,B"`, interactive and batch threads, 1 to 32 each.
    """

    argument = "I,B"

    def __init__(self, argument: str):
        self.pools = parse_pools(f"{FIELD} fixed", argument)

    @property
    def spec(self):
        """`fixed:I,B`."""
        return f"{self.name}:{self.pools[0]},{self.pools[1]}"

    def start(self, context: PolicyContext):
        """The pools; `InputError` if the scenario has narrower limits."""
        return check_pools(self.spec, self.pools, context.pool_min, context.pool_max)

    def act(self, observation, info=None):
        """Always the action that changes nothing."""
        return KEEP

    def exported(self, context: PolicyContext):
        """The pools."""
        return {"kind": "fixed", "pools": list(self.start(context))}
