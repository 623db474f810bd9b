"""The compiled function of policy `random` among numbered actions."""

from __future__ import annotations

from pmtwin.sim.draws import uniform


def decide(arrays, features, mask):
    """A possible action, all equally likely."""
    draws, all_actions = arrays
    possible = mask if mask.size > 0 else all_actions
    place = int(uniform(draws) * possible.sum())
    for action in range(possible.size):
        if possible[action]:
            if place == 0:
                return action
            place -= 1
    return 0
