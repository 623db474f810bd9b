"""Linear support vector machine, compiled: coordinate descent in the dual (Hsieh and others, ICML 2008, algorithm 1).

    minimise  w'w / 2 + C sum max(0, 1 - y w'x),  x with a constant 1 behind the features

Rows are visited in their order, so that nothing is drawn; the minimum is unique.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

SWEEPS, TOLERANCE = 1000, 1e-3


@njit(cache=True)
def separating(rows, labels, penalty):
    """Weights of the features, and behind them that of the constant: shape (features + 1,).

    Args:
        rows: float64, shape (rows, features). labels: float64, shape (rows,), 1 or -1. penalty: C.
    """
    features = rows.shape[1]
    weights, multipliers = np.zeros(features + 1), np.zeros(rows.shape[0])
    for _ in range(SWEEPS):
        low, high = np.inf, -np.inf
        for row in range(rows.shape[0]):
            slope = labels[row] * value(weights, rows[row]) - 1.0
            before = multipliers[row]
            projected = slope
            if (before == 0.0 and slope > 0.0) or (before == penalty and slope < 0.0):
                projected = 0.0
            low, high = min(low, projected), max(high, projected)
            if projected != 0.0:
                square = 1.0 + (rows[row] ** 2).sum()
                multipliers[row] = min(max(before - slope / square, 0.0), penalty)
                step = (multipliers[row] - before) * labels[row]
                weights[:features] += step * rows[row]
                weights[features] += step
        if high - low < TOLERANCE:
            break
    return weights


@njit(cache=True, inner=True)
def value(weights, row):
    """w'x of a row."""
    total = weights[row.size]
    for feature in range(row.size):
        total += weights[feature] * row[feature]
    return total
