"""The payoff of a window: whether all goals are met, and the reward where that is equal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.scenarios.scenario import Scenario

REWARD_WEIGHT = 0.01
"""Weight of a window's reward, squeezed between -1 and 1, beside 1 for kept goals: it orders settings that keep them
alike."""


def payoff(scenario: Scenario, measures: Mapping[str, np.ndarray]) -> np.ndarray:
    """Payoff of windows with these measures, arrays of one length, as in `Sample`."""
    rewards = np.asarray(scenario.rewards(measures), dtype=float)
    met = np.ones(len(rewards), dtype=bool)
    for goal in scenario.goals:
        met &= np.asarray(goal.met(np.asarray(measures[goal.measure.name])), dtype=bool)
    return met + REWARD_WEIGHT * rewards / (1.0 + np.abs(rewards))
