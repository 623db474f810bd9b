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
    for row in range(out.shape[0]):
        project_row(probabilities[row], rewards[row], discounts[row], low, high, out[row])


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def project_row(probabilities, reward, discount, low, high, out):
    """Add one row's projected distribution to `out`, for use in other compiled code."""
    count = probabilities.shape[0]
    step = (high - low) / (count - 1)
    for atom in range(count):
        value = reward + discount * (low + step * atom)
        place = min(max((value - low) / step, 0.0), count - 1.0)
        below = math.floor(place)
        share = place - below
        out[below] += probabilities[atom] * (1.0 - share)
        if share > 0.0:
            out[below + 1] += probabilities[atom] * share
