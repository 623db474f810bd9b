"""Successive halving: most configurations are dropped on a part of the data (Jamieson and Talwalkar 2016, section 3).

Each round cross-validates the remaining configurations on the first rows of each fold, and keeps the best third of
every degree; the next round has three times the rows. The last round has all rows and a ninth of the configurations.
Only there do degrees compete: the choice prefers a low degree within a standard error, which needs all rows. A round
has at least `LEAST_ROWS` rows; where these are more than half of all rows the round is left out.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

ETA = 3
"""A round keeps one of this number of configurations, and has this many times the rows of the one before."""
ROUNDS = 2
"""Number of rounds before the last, which has all rows."""
LEAST_ROWS = 1_000
"""Six for each feature of degree 3 with eight columns, so that its fits generalise at all."""

MOST_SHARE = 0.5
"""Share of the rows beyond which a round would save little."""


def shares_of_rows(rows: int) -> list[float]:
    """Share of the rows that each round but the last has, ascending.

    Args:
        rows: of all folds together.
    """
    shares = (max(float(ETA) ** -k, LEAST_ROWS / rows) for k in range(ROUNDS, 0, -1))
    return sorted({share for share in shares if share <= MOST_SHARE})


def survivors(points: Sequence, folds: list[np.ndarray], score: Callable) -> list:
    """The configurations that reach the last round, in their order.

    Args:
        points: configurations, with `degree`.
        folds: numbers of the rows of each fold, in random order.
        score: (configuration, folds) -> a tuple of which the first is its mean score, or None if a fit diverged.
    """
    left = list(points)
    for share in shares_of_rows(sum(map(len, folds))):
        part = [fold[: math.ceil(share * len(fold))] for fold in folds]
        scores = [score(point, part) for point in left]
        ranked = defaultdict(list)
        for number, result in enumerate(scores):
            if result is not None:
                ranked[left[number].degree].append((-result[0], number))
        survivors = {number for rows in ranked.values() for _, number in sorted(rows)[: math.ceil(len(rows) / ETA)]}
        left = [point for number, point in enumerate(left) if number in survivors]
    return left
