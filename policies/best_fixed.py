"""The best fixed pools of each phase: an oracle and the yardstick, not a policy that could be deployed."""

from pmtwin.policies.base import Policy, PolicyContext
from pmtwin.policies.pools import KEEP, check_pools
from pmtwin.policies.registry import register
from pmtwin.sim.errors import InputError


@register("best-fixed")
class BestFixed(Policy):
    """Jumps to the best pools of a phase as soon as the phase begins.

    The table phase -> (interactive, batch) comes from an exhaustive search, made elsewhere, as
    `PolicyContext.best_pools`.
    """

    needs_phase = True

    def start(self, context: PolicyContext):
        """The best pools of the first phase.

        Raises:
            InputError: if there is no table, a phase is missing in it, or its pools are out of bounds.
        """
        if not context.best_pools:
            raise InputError("best_pools", context.best_pools, "a table phase -> (interactive, batch) from a search")
        self._table = {
            phase: check_pools(f"best_pools of phase {phase}", pools, context.pool_min, context.pool_max)
            for phase, pools in context.best_pools.items()
        }
        self._target = None
        if context.phase is None:
            raise InputError("phase", None, "the number of the first phase: an oracle is told it")
        self.on_phase(context.phase)
        return self._target

    def on_phase(self, phase: int):
        """From the next action on, the best pools of `phase`."""
        if phase not in self._table:
            raise InputError("phase", phase, f"a phase of the table: {', '.join(map(str, sorted(self._table)))}")
        self._target = self._table[phase]

    def act(self, observation, info=None):
        """The pools to jump to, or the action that changes nothing once they are there."""
        interactive, batch = round(float(observation[0])), round(float(observation[1]))
        return KEEP if (interactive, batch) == self._target else self._target
