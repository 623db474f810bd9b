"""Misses of LRU under Zipf popularity: Che's approximation, and references to replay for comparison.

Hot data lie together: neighbours of a popular page are about as popular. So the miss ratio depends on the share of the
data that is cached, not on the page size.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

_PARTS, _STEPS = 4000, 400


@lru_cache
def _curve(skew: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(share of the data that is cached, ascending from 0 to 1; miss ratio; characteristic time).

    The popularity of place x, from 0 to 1, has the density f(x) = (1 - a) x^-a. A page that is requested again within
    the characteristic time T of the cache hits: the cached share is the mean of 1 - exp(-f T), the miss ratio that of
    f exp(-f T) (Che, Tung and Wang, 2002). The substitution u = x^(1 - a) spreads the hot places out.
    """
    u = (np.arange(_PARTS) + 0.5) / _PARTS
    x = u ** (1.0 / (1.0 - skew))
    density = (1.0 - skew) * x**-skew
    times = np.concatenate([[0.0], np.geomspace(1e-9, 1e4, _STEPS)])[:, None]
    absent = np.exp(-density * times)
    cached = np.mean((1.0 - absent) / density, axis=1)  # dx = du / f
    return cached / max(cached[-1], 1.0), np.mean(absent, axis=1), times[:, 0]


def miss_ratio(share: float, skew: float) -> float:
    """Miss ratio if this share of the data is cached; 0 from 1 on."""
    cached, missed, _ = _curve(skew)
    return 0.0 if share >= 1.0 else float(np.interp(share, cached, missed))


def share_for(ratio: float, skew: float) -> float:
    """Share of the data to cache for this miss ratio; the inverse of `miss_ratio`."""
    cached, missed, _ = _curve(skew)
    return 1.0 if ratio <= 0.0 else float(np.interp(-ratio, -missed, cached))


def characteristic_time(share: float, skew: float) -> float:
    """Number of references, as a multiple of the pages, after which an unused page has left the cache."""
    cached, _, times = _curve(skew)
    return float(np.interp(share, cached, times))


def references(pages: int, count: int, touched: float, skew: float, rng: np.random.Generator) -> np.ndarray:
    """Pages in order of their first use in each sequential read: int64, shape (about `count`,).

    Args:
        pages: number of pages, which are numbered by falling popularity.
        count: number of references.
        touched: mean number of pages of a read; the first page is drawn by popularity, the others follow it.
        skew: exponent of the Zipf distribution.
        rng: random generator.
    """
    runs = max(int(count / touched), 1)
    first = (pages * rng.random(runs) ** (1.0 / (1.0 - skew))).astype(np.int64)
    length = int(touched) + (rng.random(runs) < touched % 1.0)
    starts = np.cumsum(length) - length
    steps = np.arange(length.sum()) - np.repeat(starts, length)
    return (np.repeat(first, length) + steps) % pages
