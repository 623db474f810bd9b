"""The speed of every population of the device, computed when it first occurs and kept.

A population is the number of operations of each of the four kinds in the device. Populations of at most N operations
are numbered by the combinatorial number system, so that the table has exactly C(N + 4, 4) rows (270,725 for 48
hardware threads).
"""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.speeds import KINDS, solve_speeds

ROW = 2 * KINDS
"""A row of the table: the speed of each kind, then its inverse; 0 until first needed."""


@lru_cache
def population_ranks(most: int, room: int) -> np.ndarray:
    """Shape (4, room + 1): terms of a population's row number, for at most `most` operations."""
    return np.array([[comb(min(s, most) + k, k + 1) for s in range(room + 1)] for k in range(KINDS)], dtype=np.int64)


def empty_rows(most: int) -> np.ndarray:
    """Shape (C(most + 4, 4), ROW): a table in which nothing is known yet; it takes memory as it fills up."""
    return np.zeros((comb(most + KINDS, KINDS), ROW))


@njit(cache=True)
def row_of(model, population):
    """Row of a population of shape (4,), int64."""
    s1 = population[0]
    s2 = s1 + population[1]
    s3 = s2 + population[2]
    s4 = s3 + population[3]
    return model.ranks[0, s1] + model.ranks[1, s2] + model.ranks[2, s3] + model.ranks[3, s4]


@njit(cache=True)
def fill_row(model, population, rows, row):
    """Compute the speeds of a population that has not occurred before."""
    solve_speeds(model, population, rows, row)
    for k in range(KINDS):
        rows[row, KINDS + k] = 1.0 / rows[row, k]


@njit(cache=True)
def speeds_of(models, rows, population):
    """Shape (ROW,): the row of a population, for callers outside compiled code; `models` has one element."""
    row = row_of(models[0], population)
    if rows[row, 0] == 0.0:
        fill_row(models[0], population, rows, row)
    return rows[row]
