"""Misses of LRU under Zipf popularity: Che's approximation, and a sequence of references to replay beside it.

Hot data lie together: what is next to a popular page is about as popular. So the share of misses hangs on the share of
the data that is cached, and not on the size of a page.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

_PARTS, _STEPS = 4000, 400


@lru_cache
def _curve(skew: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Share of the data that is cached, ascending from 0 to 1, share of references that miss, characteristic time.

    The popularity of the place x of 0 to 1 has the density f(x) = (1 - a) x^-a. A page that is wanted again within the
    characteristic time T of the cache hits: cached is the mean of 1 - exp(-f T), and missed that of f exp(-f T) (Che,
    Tung and Wang, 2002). Substituting u = x^(1 - a) spreads the hot places out.
    """
    u = (np.arange(_PARTS) + 0.5) / _PARTS
    x = u ** (1.0 / (1.0 - skew))
    density = (1.0 - skew) * x**-skew
    times = np.concatenate([[0.0], np.geomspace(1e-9, 1e4, _STEPS)])[:, None]
    kept = np.exp(-density * times)
    cached = np.mean((1.0 - kept) / density, axis=1)  # dx = du / f
    return cached / max(cached[-1], 1.0), np.mean(kept, axis=1), times[:, 0]


def miss_ratio(share: float, skew: float) -> float:
    """Share of references that miss where so large a share of the data is cached; 0 from 1 on."""
    cached, missed, _ = _curve(skew)
    return 0.0 if share >= 1.0 else float(np.interp(share, cached, missed))


def share_for(ratio: float, skew: float) -> float:
    """The inverse: what has to be cached for so small a share of misses."""
    cached, missed, _ = _curve(skew)
    return 1.0 if ratio <= 0.0 else float(np.interp(-ratio, -missed, cached))


def characteristic_time(share: float, skew: float) -> float:
    """References for each page of the data after which a page that was not wanted has left the cache."""
    cached, _, times = _curve(skew)
    return float(np.interp(share, cached, times))


def references(pages: int, count: int, touched: float, skew: float, rng: np.random.Generator) -> np.ndarray:
    """Pages in the order of their first use in each run, shape (about `count`,), int64.

    Args:
        pages: that there are, the most popular first.
        touched: pages of a run, on average; its first one is drawn by popularity, the rest follow it.
    """
    runs = max(int(count / touched), 1)
    first = (pages * rng.random(runs) ** (1.0 / (1.0 - skew))).astype(np.int64)
    length = int(touched) + (rng.random(runs) < touched % 1.0)
    starts = np.cumsum(length) - length
    steps = np.arange(length.sum()) - np.repeat(starts, length)
    return (np.repeat(first, length) + steps) % pages
