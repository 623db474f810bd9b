"""The compiled function of policy `random` among numbered actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmtwin.sim.draws import uniform

if TYPE_CHECKING:
    import numpy as np


def decide(arrays: tuple[np.ndarray, ...], features: np.ndarray, mask: np.ndarray):
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
