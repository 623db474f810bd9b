"""Successive halving: most configurations are given up on a part of the data (Jamieson and Talwalkar 2016, section 3).

In each round every configuration that is left is cross-validated on the first rows of each fold, and of every degree
the best third goes on; the next round has three times the rows. The last round is the cross-validation on all rows, of
a ninth of the configurations. Degrees do not compete before it: the choice prefers a low one within a standard error,
which a score on few rows cannot tell. A round that would have fewer than `LEAST_ROWS` has so many; where that is more
than half of the rows the round is left out: it would save little, and small data sets lose nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

ETA = 3
"""A round keeps one of so many configurations, and has this many times the rows of the one before."""
ROUNDS = 2
"""Before the last, on all rows."""
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
        kept = {number for rows in ranked.values() for _, number in sorted(rows)[: math.ceil(len(rows) / ETA)]}
        left = [point for number, point in enumerate(left) if number in kept]
    return left
