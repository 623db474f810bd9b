"""Random draws by counter: both engines, and any order of events, see the same."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, gamma_table, gap_ns, high_uniform

GAP, LENGTH, APPEND = range(3)
"""Rows of the tables: gap between bursts of foreign traffic and length of one, in ns; appended units, x 1e9."""

_0, _1 = np.uint64(0), np.uint64(1)


def tables_of(gap_ns: float, length_ns: float, append_units: float) -> np.ndarray:
    """Quantile functions of the drawn quantities, exponential ones: shape (3, n)."""
    return np.array([gamma_table(max(mean, 1.0), 1.0) for mean in (gap_ns, length_ns, append_units * 1e9)])


def keys_of(seed: int | tuple[int, ...], count: int) -> np.ndarray:
    """Random keys, shape (count,), uint64."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64)


@njit(cache=True, _nrt=False)
def is_read(key, number, share):
    """Whether operation `number` of a thread reads."""
    return high_uniform(bits(key, np.uint64(number), _0)) < share


@njit(cache=True, _nrt=False)
def place_of_operation(key, number, places):
    """The place, of so many, that operation `number` of a thread begins at."""
    return np.int64(high_uniform(bits(key, np.uint64(number), _1)) * places)


@njit(cache=True, _nrt=False)
def appended_units(tables, key, number):
    """Units that operation `number` appends to a file, at least one."""
    return max(np.int64(gap_ns(tables, APPEND, ~key, np.uint64(number)) * 1e-9 + 0.5), 1)


@njit(cache=True, _nrt=False)
def burst_of(tables, key, number, servers):
    """(server, length in ns, gap in ns until the next) of a burst of foreign traffic."""
    server = np.int64(high_uniform(bits(key, np.uint64(number), _0)) * servers)
    length_ns = gap_ns(tables, LENGTH, key, np.uint64(number))
    return server, length_ns, gap_ns(tables, GAP, ~key, np.uint64(number))
