"""Atoms of a categorical distribution over returns (C51), and its compiled mean."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pmtwin.policies.network.limits import MOST_ATOMS
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError, check_range


class Atoms(NamedTuple):
    """Evenly spaced returns.

    Fields:
        count: number of atoms.
        low, high: the smallest and the largest return.
    """

    count: int  # type: ignore[assignment]  # the field takes the place of tuple.count
    low: float
    high: float

    def check(self) -> None:
        """Raise `InputError` for fewer than two atoms, or unless `low` is below `high` and both are finite."""
        check_range("atoms", self.count, 2, MOST_ATOMS)
        if not -np.inf < self.low < self.high < np.inf:
            ends = f"{self.low:g} to {self.high:g}"
            raise InputError("range of returns", ends, "finite numbers, the lower one first")


@njit(cache=True)
def means(outputs, count, low, high):
    """Mean of each action's distribution, shape (actions,).

    Args:
        outputs: logits, shape (actions * count,).
        count, low, high: as in `Atoms`.
    """
    values = np.empty(outputs.shape[0] // count)
    step = (high - low) / (count - 1)
    for action in range(values.shape[0]):
        first = action * count
        most = outputs[first : first + count].max()
        total, mean = 0.0, 0.0
        for atom in range(count):
            weight = math.exp(outputs[first + atom] - most)
            total += weight
            mean += weight * (low + step * atom)
        values[action] = mean / total
    return values
