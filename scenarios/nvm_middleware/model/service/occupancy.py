"""A cache of the device's speeds by population, computed at first use.

A population is the number of operations of each kind in the device. The cache is a hash table of fixed size with linear
probing. If neither the population nor an empty row is within `NEAR` rows, the first row is overwritten. This changes no
result, since a row depends on the population alone.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.speeds import solve_speeds
from pmtwin.sim.compiling import njit

ROWS = 1 << 16
"""Rows of a table, a power of two; runs of the thesis' phases meet some hundred populations."""

NEAR = 16
"""Number of consecutive rows in which a population may lie."""

BITS = 7
"""Bits per kind in a packed population; eight kinds and a mark take 57 bits."""

_BITS, _32, _MARK = np.uint64(BITS), np.uint64(32), np.uint64(1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4)."""


@lru_cache
def row_dtype(kinds: int) -> np.dtype:
    """Layout of a row: the packed population (0: empty row), the speed of each kind, then their inverses."""
    return np.dtype([("population", "u8"), ("speeds", "f8", 2 * kinds)], align=True)


def empty_rows(kinds: int, rows: int = ROWS) -> np.ndarray:
    """An empty table of shape (rows,), rows a power of two; memory is used only as the table fills."""
    return np.zeros(rows, dtype=row_dtype(kinds))


@njit(cache=True)
def packed(population):
    """A population of shape (K,), packed into one number that is never 0."""
    number = _MARK
    for k in range(population.shape[0]):
        number = (number << _BITS) | np.uint64(population[k])
    return number


@njit(cache=True, forceinline=True, inner=True)
def packed_one(kind, kinds):
    """The packed population that consists of one operation of a kind."""
    return _MARK << (_BITS * np.uint64(kinds - 1 - kind))


@njit(cache=True, inner=True)
def first_row(number, rows):
    """Index of the first possible row for a packed population, among `rows` rows, a power of two."""
    return ((number * _GOLDEN) >> _32) & np.uint64(rows - 1)


@njit(cache=True, inner=True)
def row_of(model, population, rows):
    """The row of a population, computed if it has none."""
    number = packed(population)
    first = first_row(number, rows.shape[0])
    for step in range(NEAR):
        row = (first + np.uint64(step)) & np.uint64(rows.shape[0] - 1)
        if rows[row].population == number:
            return row
        if rows[row].population == 0:
            fill_row(model, population, rows, row)
            return row
    fill_row(model, population, rows, first)
    return first


@njit(cache=True, inner=True)
def fill_row(model, population, rows, row):
    """Compute the speeds of a population and store them in a row, overwriting it."""
    speeds, kinds = rows[row].speeds, population.shape[0]
    solve_speeds(model, population, speeds)
    for k in range(kinds):
        speeds[kinds + k] = 1.0 / speeds[k]
    rows[row].population = packed(population)


@njit(cache=True)
def speeds_of(models, rows, population):
    """Shape (2 K,): speeds of a population, then their inverses, for callers outside compiled code.

    `models` has one element.
    """
    return rows[row_of(models[0], population, rows)].speeds.copy()
