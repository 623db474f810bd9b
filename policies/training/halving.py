"""Successive halving: part of the data suffices to drop most configurations (Jamieson and Talwalkar 2016, section 3).

Each round cross-validates the remaining configurations on the first rows of each fold, and keeps the best third of
every degree; the next round has three times as many rows. The last round has all rows and a ninth of the
configurations. Degrees compete only in the last round, since the choice prefers a low degree within a standard error,
which needs all rows. A round has at least `LEAST_ROWS` rows; it is skipped if that is more than half of all rows.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

ETA = 3
"""A round keeps one of `ETA` configurations and has `ETA` times the rows of the round before."""
ROUNDS = 2
"""Number of rounds before the last, which has all rows."""
LEAST_ROWS = 1_000
"""Six for each feature of degree 3 with eight columns: with fewer rows its fits do not generalise."""

MOST_SHARE = 0.5
"""Largest share of the rows in a round before the last: a larger one would save little."""


def shares_of_rows(rows: int) -> list[float]:
    """Share of the rows in each round before the last, ascending.

    Args:
        rows: number of rows of all folds.
    """
    shares = (max(float(ETA) ** -k, LEAST_ROWS / rows) for k in range(ROUNDS, 0, -1))
    return sorted({share for share in shares if share <= MOST_SHARE})


def survivors(points: Sequence, folds: list[np.ndarray], score: Callable) -> list:
    """The configurations that reach the last round, in their order.

    Args:
        points: configurations, with `degree`.
        folds: indices of the rows of each fold, in random order.
        score: (configuration, folds) -> tuple that begins with the mean score, or None if a fit diverged.
    """
    remaining = list(points)
    for share in shares_of_rows(sum(map(len, folds))):
        small_folds = [fold[: math.ceil(share * len(fold))] for fold in folds]
        scores = [score(point, small_folds) for point in remaining]
        ranked = defaultdict(list)
        for number, result in enumerate(scores):
            if result is not None:
                ranked[remaining[number].degree].append((-result[0], number))
        best = {number for rows in ranked.values() for _, number in sorted(rows)[: math.ceil(len(rows) / ETA)]}
        remaining = [point for number, point in enumerate(remaining) if number in best]
    return remaining
