"""Many decisions of one policy in compiled code, as a simulation makes them, without the simulation."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.choice import decide, observe


@njit
def decide_and_learn(state, rows, mask, reward):
    """Decide by each row of features, and learn from the reward.

    Args:
        state: of a policy at a decision point. rows: features, shape (decisions, columns). mask: possible actions.
        reward: of each action.
    """
    for row in rows:
        observe(state, row, decide(state, row, mask), reward)


@njit(_nrt=False)  # no count of references of each array in each call, as in the simulation's loops
def decide_each(state, rows, mask):
    """Decide by each row of features, and learn nothing; returns the sum of the actions."""
    total = 0
    for row in rows:
        total += decide(state, row, mask)
    return total
