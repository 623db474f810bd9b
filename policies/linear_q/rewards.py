"""Transforms of the reward of Algorithm 1 for learning.

A window that meets both goals earns about +0.3 to +6; a window that misses a goal costs 1 to 100,000. Such outliers
dominate least squares and make its gradients explode. The transforms keep the order and the sign of the rewards.
"""

from __future__ import annotations

import math

import numpy as np

TRANSFORMS = ("log", "linear")


def scaled_reward(reward: float | np.ndarray, transform: str, unit: float):
    """The reward for learning: a scalar for a scalar, an array for an array.

    Args:
        reward: reward of Algorithm 1.
        transform: `log`: sign(r) log(1 + |r| / unit), linear within a unit and logarithmic beyond; `linear`: r / unit.
        unit: reward that becomes log 2 (`log`) or 1 (`linear`).
    """
    if transform == "linear":
        return reward / unit
    if isinstance(reward, float):  # for single numbers `math` is ten times as fast as NumPy
        return math.copysign(math.log1p(abs(reward) / unit), reward)
    return np.sign(reward) * np.log1p(np.abs(reward) / unit)
