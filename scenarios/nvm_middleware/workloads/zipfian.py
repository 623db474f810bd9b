"""YCSB's zipfian choosers, vectorised: ZipfianGenerator, ScrambledZipfianGenerator and SkewedLatestGenerator.

The method is that of Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994), with YCSB's
constants. Rank 0 is the most popular.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.errors import check_range

THETA = 0.99
SCRAMBLED_ITEMS = 10_000_000_000
SCRAMBLED_ZETA = 26.46902820178302
"""zeta(SCRAMBLED_ITEMS, THETA). YCSB scrambles a zipfian over this many items, however many the store holds."""

FNV_OFFSET_BASIS_64 = 0xCBF29CE484222325
FNV_PRIME_64 = 1_099_511_628_211


def zeta(items: int, theta: float = THETA) -> float:
    """sum of i^-theta for i = 1 to items."""
    check_range("items", items, 1, 1 << 28)
    return float(np.sum(np.arange(1, items + 1, dtype=float) ** -theta))


def fnv_hash_64(values: np.ndarray) -> np.ndarray:
    """YCSB's FNV-1a hash of the eight bytes of each value, least significant first, without sign. uint64."""
    values = np.asarray(values)
    rest = np.atleast_1d(values).astype(np.uint64)
    hashed = np.full(rest.shape, FNV_OFFSET_BASIS_64, dtype=np.uint64)
    for _ in range(8):
        hashed = (hashed ^ (rest & np.uint64(0xFF))) * np.uint64(FNV_PRIME_64)
        rest = rest >> np.uint64(8)
    return np.abs(hashed.view(np.int64)).view(np.uint64).reshape(values.shape)


def ranks(
    uniform: np.ndarray, items: np.ndarray | int, zeta_items: np.ndarray | float, theta: float = THETA
) -> np.ndarray:
    """`ZipfianGenerator.nextLong`: the rank that each uniform number in [0, 1) picks out of `items`. int64."""
    zeta_two = 1.0 + 0.5**theta
    eta = (1.0 - (2.0 / np.asarray(items)) ** (1.0 - theta)) / (1.0 - zeta_two / np.asarray(zeta_items))
    scaled = uniform * zeta_items
    tail = (np.asarray(items) * (eta * uniform - eta + 1.0) ** (1.0 / (1.0 - theta))).astype(np.int64)
    return np.where(scaled < 1.0, 0, np.where(scaled < zeta_two, 1, tail))


def zipfian(rng: np.random.Generator, items: np.ndarray) -> np.ndarray:
    """A rank out of each entry of `items`, numbers of items that never fall (the store grows)."""
    if not len(items):
        return np.zeros(0, dtype=np.int64)
    first, last = int(items[0]), int(items[-1])
    added = np.arange(first + 1, last + 1, dtype=float) ** -THETA
    zetas = zeta(first) + np.concatenate([[0.0], np.cumsum(added)])
    return ranks(rng.random(len(items)), items, zetas[items - first])


def scrambled_zipfian(rng: np.random.Generator, items: int, size: int) -> np.ndarray:
    """`ScrambledZipfianGenerator`: `size` item numbers below `items`, the popular ones spread over the whole range."""
    hashed = fnv_hash_64(ranks(rng.random(size), SCRAMBLED_ITEMS, SCRAMBLED_ZETA))
    return (hashed % np.uint64(items)).astype(np.int64)
