"""Synthetic requests for pages: the traffic models of the paper (section VI-A), which states no parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = Callable[[int, np.random.Generator], np.ndarray]
"""(number of requests, random generator) -> pages of the requests, as all functions of this module."""

IRM_PAGES, IRM_SKEW, IRM_LIFETIME = 1_000, 0.7, 50_000
POISSON_ARRIVALS, POISSON_AGE = 0.003, 46.0
"""Parameters with which LRU and LFU on 64 lines come near Tables V and VI (docs/two-tier.md: the differences)."""

DRIFT_GAP = 10


def irm(
    requests: int,
    rng: np.random.Generator,
    pages: int = IRM_PAGES,
    skew: float = IRM_SKEW,
    lifetime: float = IRM_LIFETIME,
) -> np.ndarray:
    """Independent requests for pages with Zipf popularity; after a number of requests a new page replaces a page.

    Args:
        pages: number of pages at a time.
        skew: exponent of the Zipf distribution.
        lifetime: mean number of requests for all pages during which a page exists.

    Returns:
        Pages, int64, shape (requests,).
    """
    popularity = np.arange(1, pages + 1) ** -skew
    popularity /= popularity.sum()
    rank = np.minimum(np.searchsorted(np.cumsum(popularity), rng.random(requests)), pages - 1)
    most = np.maximum(np.round(lifetime * popularity), 1.0).astype(np.int64)
    order = np.argsort(rank, kind="stable")
    first = np.searchsorted(rank[order], np.arange(pages))
    number = np.empty(requests, np.int64)  # place of a request among those for the same rank
    number[order] = np.arange(requests) - first[rank[order]]
    return rank + pages * (number // most[rank])


def poisson(
    requests: int, rng: np.random.Generator, arrivals: float = POISSON_ARRIVALS, age: float = POISSON_AGE
) -> np.ndarray:
    """Requests for pages that arrive at random; the probability of a request falls exponentially with a page's age.

    Args:
        arrivals: mean number of new pages per request.
        age: mean age of a requested page, in number of pages that have arrived since.

    Returns:
        Pages, int64, shape (requests,).
    """
    newest = np.cumsum(rng.random(requests) < arrivals)
    pages: np.ndarray = newest - np.floor(rng.exponential(age, requests)).astype(np.int64)
    return pages - pages.min()


def drifting(
    requests: int, rng: np.random.Generator, pages: int = IRM_PAGES, skew: float = IRM_SKEW, gap: int = DRIFT_GAP
) -> np.ndarray:
    """Requests with drifting Zipf popularity: at regular intervals two pages, drawn at random, exchange their ranks.

    Args:
        pages, skew: as for `irm`.
        gap: number of requests between two exchanges.

    Returns:
        Pages, int64, shape (requests,).
    """
    popularity = np.cumsum(np.arange(1, pages + 1) ** -skew)
    rank = np.minimum(np.searchsorted(popularity, rng.random(requests) * popularity[-1]), pages - 1)
    page_of, drawn = np.arange(pages), np.empty(requests, np.int64)
    for start in range(0, requests, gap):
        drawn[start : start + gap] = page_of[rank[start : start + gap]]
        pair = rng.integers(0, pages, 2)
        page_of[pair] = page_of[pair[::-1]]
    return drawn


def phases(requests: int, rng: np.random.Generator, count: int = 4) -> np.ndarray:
    """Phases of equal length, alternately from `irm` and `poisson`, each with new pages.

    Args:
        count: number of phases.

    Returns:
        Pages, int64, shape (requests,).
    """
    ends, parts, first = np.linspace(0, requests, count + 1).astype(int), [], 0
    for number, length in enumerate(np.diff(ends)):
        part = (irm, poisson)[number % 2](int(length), rng)
        parts.append(part + first)
        first += int(part.max(initial=-1)) + 1
    return np.concatenate(parts)
