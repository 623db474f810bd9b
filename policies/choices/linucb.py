"""The compiled functions of `linucb`, with disjoint arms (Li, Chu, Langford and Schapire 2010, algorithm 1).

    A_a = I + sum of x x',   b_a = sum of r x,   theta_a = B_a b_a   with B_a the inverse of A_a
    play the arm with the highest   theta_a' x + alpha sqrt(x' B_a x)
    learn by Sherman and Morrison:  B_a -= (B_a x)(B_a x)' / (1 + x' B_a x)

Only the inverses B_a are kept. One product B_a x gives both terms of the bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pmtwin.policies.linear_q.features import standardised
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    import numpy as np


def decide(arrays: tuple[np.ndarray, ...], features: np.ndarray, mask: np.ndarray):
    """The possible arm with the highest upper bound; the first of equals."""
    inverse, sums, _, seen, scaling, numbers, context, product = arrays
    fill(context, features, scaling)
    count = mask.size if mask.size > 0 else int(numbers[1])
    while mask.size > 0 and count > 1 and not mask[count - 1]:
        count -= 1
    grow(inverse, sums, seen, count, numbers[2] != 0.0)
    return choose(inverse, sums, context, mask, count, numbers[0], product)


def observe(arrays: tuple[np.ndarray, ...], features: np.ndarray, action: int, reward: float):
    """Learn from the reward of an arm."""
    inverse, sums, updates, _, scaling, _, context, product = arrays
    if not math.isfinite(reward):
        raise InputError("policy linucb: a reward", "nan or infinite", "a finite number")
    fill(context, features, scaling)
    learn(inverse[action], sums[action], context, reward, product)
    updates[action] += 1


@njit(cache=True)
def fill(context, features, scaling):
    """Write the standardised features and the constant 1 into `context`."""
    for place in range(features.size):
        if math.isnan(features[place]):
            raise InputError("policy linucb: a feature of its context", "nan", "a number")
    context[:-1] = standardised(features, scaling)
    context[-1] = 1.0


@njit(cache=True)
def grow(inverse, sums, seen, count, as_neighbour):
    """Begin the arms that become possible for the first time: with nothing learned, or as the arm before each."""
    for arm in range(max(seen[0], 1), count):
        if as_neighbour:
            inverse[arm] = inverse[arm - 1]
            sums[arm] = sums[arm - 1]
    seen[0] = max(seen[0], count)


@njit(cache=True, _nrt=False)
def choose(inverse, sums, x, mask, count, alpha, product):
    """The arm with the highest bound among the first `count`; -1 if none is possible."""
    best, highest = -1, 0.0
    for arm in range(count):
        if mask.size > 0 and not mask[arm]:
            continue
        multiply(inverse[arm], x, product)
        mean, variance = 0.0, 0.0
        for place in range(x.size):
            mean += sums[arm, place] * product[place]
            variance += x[place] * product[place]
        bound = mean + alpha * math.sqrt(max(variance, 0.0))
        if best < 0 or bound > highest:
            best, highest = arm, bound
    return best


@njit(cache=True, _nrt=False)
def learn(inverse, sums, x, reward, product):
    """Add an observation (x, reward) to an arm, in place."""
    multiply(inverse, x, product)
    variance = 0.0
    for place in range(x.size):
        variance += x[place] * product[place]
    factor = 1.0 / (1.0 + variance)
    for row in range(x.size):
        for column in range(x.size):
            inverse[row, column] -= factor * (product[row] * product[column])  # the same bits on either side
        sums[row] += reward * x[row]


@njit(cache=True, _nrt=False, inner=True)
def multiply(matrix, x, product):
    """Write a symmetric matrix times a vector into `product`, row by row, so that the processor can vectorise it."""
    for column in range(x.size):
        product[column] = 0.0
    for row in range(x.size):
        for column in range(x.size):
            product[column] += matrix[row, column] * x[row]
