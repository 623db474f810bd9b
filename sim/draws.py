"""Random numbers by counter: request i of a class always gets the same bits, whoever asks and in whatever order.

Bits are SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) of a key and
a counter. Nothing is drawn in advance and no generator has a state, so both engines, a resumed run and any number of
worker processes see the same request. Continuous quantities come from tables of equally likely values.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy import special

from pmtwin.sim.compiling import njit

NOISE_BINS = 1024
"""Equally likely values of a noise; the last `FINE_BINS` of them are divided once more, into as many each."""

FINE_BINS = 16
"""A sixty-fourth of all draws, so that p99 and all beyond it lie among the finer values."""

FIRST_FINE = NOISE_BINS - FINE_BINS
NOISE_TABLE = NOISE_BINS + FINE_BINS * NOISE_BINS

GAP_BINS = 1024
"""Linear pieces of the quantile function of the gap between offered requests."""

WORDS = np.uint64(3)
"""64-bit words of each request: operation, size and noise; gap and preemption; stalls and the fine bins of noises."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MUL_1 = np.uint64(0xBF58476D1CE4E5B9)
_MUL_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31 = np.uint64(27), np.uint64(30), np.uint64(31)
_S32 = np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)
_TWO_32 = 2.0**-32
_PLACE = np.uint64(NOISE_BINS - 1)
_LAST_GAP, _1 = np.uint64(GAP_BINS - 1), np.uint64(1)


@njit(cache=True)
def bits(key, index, word):
    """64 random bits: word 0, 1 or 2 of request `index` (uint64) under `key` (uint64)."""
    z = key + (index * WORDS + word + np.uint64(1)) * _GAMMA
    z = (z ^ (z >> _S30)) * _MUL_1
    z = (z ^ (z >> _S27)) * _MUL_2
    return z ^ (z >> _S31)


@njit(cache=True)
def high_uniform(word_bits):
    """The upper 32 bits as a number in [0, 1)."""
    return np.float64(word_bits >> _S32) * _TWO_32


@njit(cache=True)
def low_uniform(word_bits):
    """The lower 32 bits as a number in [0, 1)."""
    return np.float64(word_bits & _LOW_32) * _TWO_32


@njit(cache=True)
def uniform(draws):
    """The next number in [0, 1) of a stream; `draws`: shape (2,), uint64, its key and how many were drawn."""
    number = high_uniform(bits(draws[0], draws[1], np.uint64(0)))
    draws[1] += np.uint64(1)
    return number


@njit(cache=True)
def place_of(fine_bits, place):
    """Place in a table of noise of a bin (0 to NOISE_BINS - 1): its own; for a fine bin the place of ten more bits."""
    if place < FIRST_FINE:
        return place
    return (place - np.uint64(FIRST_FINE - 1)) * np.uint64(NOISE_BINS) + (fine_bits & _PLACE)


@njit(cache=True)
def gap_ns(tables, row, key, index):
    """Gap before request `index`, or another time, from a row of quantile functions, shape (n, GAP_BINS + 1), in ns."""
    position = high_uniform(bits(key, index, np.uint64(1))) * GAP_BINS
    low = np.uint64(position) & _LAST_GAP
    left, right = tables[row, low], tables[row, low + _1]
    return left + (position - low) * (right - left)


def class_keys(seed: np.random.SeedSequence) -> np.ndarray:
    """Shape (2,), uint64: the key of each class, spawned from the root seed."""
    return np.array([child.generate_state(1, np.uint64)[0] for child in seed.spawn(2)], dtype=np.uint64)


@lru_cache
def normal_table() -> np.ndarray:
    """Shape (NOISE_TABLE,): standard normal values, up to one in two million; draws have mean 0 and variance 1.

    The first NOISE_BINS are equally likely; each of the last FINE_BINS of these is the mean of NOISE_BINS finer values,
    which follow, and which are equally likely where it is drawn.
    """
    values = _with_means(_normal_values())
    values -= values[:NOISE_BINS].mean()
    square = _with_means(values**2)[:NOISE_BINS].mean()
    return _shared(values / np.sqrt(square))


@lru_cache
def lognormal_table(sigma: float) -> np.ndarray:
    """Shape (NOISE_TABLE,): the same for factors of a log-normal with mean 1 and the given sigma."""
    values = _with_means(np.exp(sigma * _normal_values()))
    return _shared(values / values[:NOISE_BINS].mean())


def _normal_values() -> np.ndarray:
    """Shape (NOISE_TABLE,): standard normal quantiles at the middles of the bins, coarse and fine."""
    beyond = 1.0 - (np.arange(NOISE_BINS) + 0.5) / NOISE_BINS
    fine = (np.arange(FINE_BINS)[::-1, None] + beyond) / NOISE_BINS
    return -special.ndtri(np.concatenate([beyond, fine.ravel()]))


def _with_means(values: np.ndarray) -> np.ndarray:
    """A table whose last coarse values are the means of the finer ones."""
    means = values[NOISE_BINS:].reshape(FINE_BINS, NOISE_BINS).mean(axis=1)
    return np.concatenate([values[:FIRST_FINE], means, values[NOISE_BINS:]])


def gap_table(rate_ops: float, cov: float) -> np.ndarray:
    """Shape (GAP_BINS + 1,), ns: quantile function of the gaps between requests that come at a rate."""
    return gamma_table(1e9 / rate_ops, cov)


@lru_cache
def gamma_table(mean_ns: float, cov: float) -> np.ndarray:
    """Shape (GAP_BINS + 1,), ns: quantile function of a gamma distribution with a mean and coefficient of variation.

    The last piece reaches as far as gives it the right mean, and the whole is scaled to the exact mean.
    """
    if cov == 0.0:
        return _shared(np.full(GAP_BINS + 1, mean_ns))
    shape = 1.0 / cov**2
    edges = special.gammaincinv(shape, np.arange(GAP_BINS) / GAP_BINS) / shape
    tail_mean = special.gammaincc(shape + 1.0, shape * edges[-1]) * GAP_BINS
    table = np.append(edges, max(2.0 * tail_mean - edges[-1], edges[-1]))
    return _shared(table * (mean_ns / (0.5 * (table[:-1] + table[1:])).mean()))


def _shared(table: np.ndarray) -> np.ndarray:
    """The table, which many callers get and none may change."""
    table.flags.writeable = False
    return table
