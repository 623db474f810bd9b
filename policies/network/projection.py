"""Projection of a shifted and discounted distribution onto the atoms (Bellemare et al. 2017, algorithm 1)."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit


def projected(
    probabilities: np.ndarray, rewards: np.ndarray, discounts: np.ndarray, low: float, high: float
) -> np.ndarray:
    """The distribution of `reward + discount * return`, projected onto the atoms: shape (rows, atoms).

    The probability of each value goes to its two neighbouring atoms, by linear interpolation.

    Args:
        probabilities: probabilities of evenly spaced atoms, shape (rows, atoms).
        rewards, discounts: shape (rows,).
        low, high: the first and the last atom; values beyond them are clipped.
    """
    out = np.zeros_like(probabilities)
    _project(probabilities, rewards, discounts, low, high, out)
    return out


@njit(cache=True)
def _project(probabilities, rewards, discounts, low, high, out):
    count = probabilities.shape[1]
    step = (high - low) / (count - 1)
    for row in range(out.shape[0]):
        for atom in range(count):
            value = rewards[row] + discounts[row] * (low + step * atom)
            place = min(max((value - low) / step, 0.0), count - 1.0)
            below = math.floor(place)
            share = place - below
            out[row, below] += probabilities[row, atom] * (1.0 - share)
            if share > 0.0:
                out[row, below + 1] += probabilities[row, atom] * share
