"""The function of `random` among numbered actions."""

from __future__ import annotations

from pmtwin.sim.draws import uniform


def decide(arrays, features, mask):
    """One of the possible actions, all equally likely."""
    draws, every = arrays
    possible = mask if mask.size > 0 else every
    place = int(uniform(draws) * possible.sum())
    for action in range(possible.size):
        if possible[action]:
            if place == 0:
                return action
            place -= 1
    return 0
