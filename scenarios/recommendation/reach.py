"""The best value of each goal's measure in any window, which explains why no setting keeps a goal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.sim.control import LOWER, Goal


def asks_for_more(goal: Goal, offered: float | None) -> bool:
    """Whether a goal asks for more than clients offer, so that no setting can keep it."""
    return offered is not None and offered > 0.0 and goal.measure.better != LOWER and not goal.met(offered)


class Reach:
    """The best value of each goal's measure over all windows and settings on the representative device and host.

    Args:
        goals: goals of the search.
    """

    def __init__(self, goals: Sequence[Goal]):
        self.best = {goal: math.inf if goal.measure.better == LOWER else -math.inf for goal in goals}

    def seen(self, shown: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        """Record the windows of a round; returns `shown`."""
        for goal, best in self.best.items():
            better = min if goal.measure.better == LOWER else max
            values = shown[goal.measure.name]
            self.best[goal] = better(best, *map(float, values[np.isfinite(values)].flat))
        return shown

    def unreachable(self, offered: float | None) -> list[dict]:
        """Goals that no window kept at any setting: `goal`, `best` value, and the load `offered` if it is too small.

        Empty if windows keep each goal, but never all goals together.

        Args:
            offered: result of `Scenario.offered_load`.
        """
        return [
            {
                "goal": str(goal),
                "best": best if math.isfinite(best) else None,
                "offered": offered if asks_for_more(goal, offered) else None,
            }
            for goal, best in self.best.items()
            if not goal.met(best)
        ]
