"""Windows that keep all goals, and a test whether one setting has significantly fewer of them than another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.sim.control import Goal

TOLERANCE = 0.01
"""Largest difference of attainments that count as equal."""


def met(goals: Sequence[Goal], shown: Mapping[str, np.ndarray]) -> np.ndarray:
    """Whether each window meets all goals: an array of the measures' shape."""
    return np.all([goal.met(shown[goal.measure.name]) for goal in goals], axis=0)


def is_less(values: np.ndarray, others: np.ndarray) -> bool:
    """Whether `values` are significantly less than `others` in a paired test, and by more than `TOLERANCE`."""
    difference = others.astype(float) - values
    error = 2.0 * float(difference.std()) / np.sqrt(difference.size)
    return bool(difference.mean() > max(error, TOLERANCE))
