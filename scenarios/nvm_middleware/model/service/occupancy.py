"""The speed of every population of the device, computed when it first occurs and kept.

A population is the number of operations of each kind in the device. Its speeds are kept beside it in a hash table of
fixed size with linear probing. Where neither the population nor an empty row is near, the first row is overwritten: a
row is a function of the population alone, so that this changes no number.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.speeds import solve_speeds
from pmtwin.sim.compiling import njit

ROWS = 1 << 16
"""Rows of a table, a power of two; runs of the thesis' phases meet some hundred populations."""

NEAR = 16
"""Rows in which a population may be."""

BITS = 7
"""Bits of the number of operations of one kind, in a packed population; with eight kinds and a mark 57."""

_BITS, _32, _MARK = np.uint64(BITS), np.uint64(32), np.uint64(1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming 3, section 6.4)."""


@lru_cache
def row_dtype(kinds: int) -> np.dtype:
    """A row: the packed population, 0 if there is none; the speed of each kind, then the inverse of each."""
    return np.dtype([("population", "u8"), ("speeds", "f8", 2 * kinds)], align=True)


def empty_rows(kinds: int, rows: int = ROWS) -> np.ndarray:
    """Shape (rows,), a power of two: a table in which nothing is known yet; it takes memory as it fills up."""
    return np.zeros(rows, dtype=row_dtype(kinds))


@njit(cache=True)
def packed(population):
    """A population of shape (K,) as one number, never 0."""
    number = _MARK
    for k in range(population.shape[0]):
        number = (number << _BITS) | np.uint64(population[k])
    return number


@njit(cache=True, forceinline=True)
def packed_one(kind, kinds):
    """The packed number of one operation of a kind, for a number of kinds."""
    return _MARK << (_BITS * np.uint64(kinds - 1 - kind))


@njit(cache=True)
def first_row(number, rows):
    """First row for the population with this packed number, among `rows` rows, a power of two."""
    return ((number * _GOLDEN) >> _32) & np.uint64(rows - 1)


@njit(cache=True)
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


@njit(cache=True)
def fill_row(model, population, rows, row):
    """Compute the speeds of a population and keep them in a row, whatever was there."""
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
