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
"""Equally likely values of a noise. Each of the last `FINE_BINS` of them is divided again into `NOISE_BINS` values."""

FINE_BINS = 16
"""A sixty-fourth of `NOISE_BINS`, so that p99 and all higher percentiles lie among the finer values."""

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
    """The next number in [0, 1) of a stream; `draws`: shape (2,), uint64, the stream's key and its count of draws."""
    number = high_uniform(bits(draws[0], draws[1], np.uint64(0)))
    draws[1] += np.uint64(1)
    return number


@njit(cache=True, inner=True)
def place_of(fine_bits, place):
    """Place in a noise table of a bin, 0 to NOISE_BINS - 1; in a fine bin, ten of `fine_bits` choose a finer value."""
    if place < FIRST_FINE:
        return place
    return (place - np.uint64(FIRST_FINE - 1)) * np.uint64(NOISE_BINS) + (fine_bits & _PLACE)


@njit(cache=True)
def gap_ns(tables, row, key, index):
    """Gap before request `index`, or another time, in ns.

    Args:
        tables: quantile functions, shape (n, GAP_BINS + 1). row: the one to draw from. key: random key, uint64.
    """
    position = high_uniform(bits(key, index, np.uint64(1))) * GAP_BINS
    low = np.uint64(position) & _LAST_GAP
    left, right = tables[row, low], tables[row, low + _1]
    return left + (position - low) * (right - left)


def class_keys(seed: np.random.SeedSequence) -> np.ndarray:
    """The random key of each class, spawned from the root seed: shape (2,), uint64."""
    return np.array([child.generate_state(1, np.uint64)[0] for child in seed.spawn(2)], dtype=np.uint64)


@lru_cache
def normal_table() -> np.ndarray:
    """Noise table of the standard normal distribution, shape (NOISE_TABLE,); draws have mean 0 and variance 1.

    The first NOISE_BINS values are equally likely. Each of the last FINE_BINS of them is the mean of NOISE_BINS finer
    values, which follow; if it is drawn, each of its finer values is equally likely.
    """
    values = _with_means(_normal_values())
    values -= values[:NOISE_BINS].mean()
    square = _with_means(values**2)[:NOISE_BINS].mean()
    return _shared(values / np.sqrt(square))


@lru_cache
def lognormal_table(sigma: float) -> np.ndarray:
    """Noise table, as `normal_table`, of log-normal factors with mean 1 and the given sigma."""
    values = _with_means(np.exp(sigma * _normal_values()))
    return _shared(values / values[:NOISE_BINS].mean())


def _normal_values() -> np.ndarray:
    """Standard normal quantiles at the middles of the coarse and the fine bins: shape (NOISE_TABLE,)."""
    beyond = 1.0 - (np.arange(NOISE_BINS) + 0.5) / NOISE_BINS
    fine = (np.arange(FINE_BINS)[::-1, None] + beyond) / NOISE_BINS
    return -special.ndtri(np.concatenate([beyond, fine.ravel()]))


def _with_means(values: np.ndarray) -> np.ndarray:
    """The table with the last coarse values replaced by the means of their finer values."""
    means = values[NOISE_BINS:].reshape(FINE_BINS, NOISE_BINS).mean(axis=1)
    return np.concatenate([values[:FIRST_FINE], means, values[NOISE_BINS:]])


def gap_table(rate_ops: float, cov: float) -> np.ndarray:
    """Quantile function of the gaps between requests at a rate: shape (GAP_BINS + 1,), in ns."""
    return gamma_table(1e9 / rate_ops, cov)


@lru_cache
def gamma_table(mean_ns: float, cov: float) -> np.ndarray:
    """Quantile function of a gamma distribution with coefficient of variation `cov`: shape (GAP_BINS + 1,), in ns.

    It consists of linear pieces. The end of the last one gives that piece its exact mean; then all are scaled to
    `mean_ns`.
    """
    if cov == 0.0:
        return _shared(np.full(GAP_BINS + 1, mean_ns))
    shape = 1.0 / cov**2
    edges = special.gammaincinv(shape, np.arange(GAP_BINS) / GAP_BINS) / shape
    tail_mean = special.gammaincc(shape + 1.0, shape * edges[-1]) * GAP_BINS
    table = np.append(edges, max(2.0 * tail_mean - edges[-1], edges[-1]))
    return _shared(table * (mean_ns / (0.5 * (table[:-1] + table[1:])).mean()))


def _shared(table: np.ndarray) -> np.ndarray:
    """The table, made read-only because many callers share it."""
    table.flags.writeable = False
    return table
