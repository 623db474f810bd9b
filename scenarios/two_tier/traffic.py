"""Synthetic requests for pages: the traffic models of the paper (section VI-A), which does not give parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Draw = Callable[[int, np.random.Generator], np.ndarray]
"""(number of requests, random numbers) -> numbers of their pages, as all functions here."""

IRM_PAGES, IRM_SKEW, IRM_LIFETIME = 1_000, 0.7, 50_000
POISSON_ARRIVALS, POISSON_AGE = 0.003, 46.0
"""Chosen so that LRU and LFU on 64 lines come near Tables V and VI (docs/two-tier.md states the differences)."""

DRIFT_GAP = 10


def irm(
    requests: int,
    rng: np.random.Generator,
    pages: int = IRM_PAGES,
    skew: float = IRM_SKEW,
    lifetime: float = IRM_LIFETIME,
) -> np.ndarray:
    """Independent requests; the popularity of pages is a Zipf distribution, and a page expires.

    Args:
        pages: alive at a time.
        skew: exponent of the Zipf distribution.
        lifetime: requests for all pages in which a page has its maximum, after which a new one takes its place.

    Returns:
        Shape (requests,), int64, numbers of pages.
    """
    popularity = np.arange(1, pages + 1) ** -skew
    popularity /= popularity.sum()
    rank = np.minimum(np.searchsorted(np.cumsum(popularity), rng.random(requests)), pages - 1)
    most = np.maximum(np.round(lifetime * popularity), 1.0).astype(np.int64)
    order = np.argsort(rank, kind="stable")
    first = np.searchsorted(rank[order], np.arange(pages))
    number = np.empty(requests, np.int64)  # of the request among those for the same rank
    number[order] = np.arange(requests) - first[rank[order]]
    return rank + pages * (number // most[rank])


def poisson(
    requests: int, rng: np.random.Generator, arrivals: float = POISSON_ARRIVALS, age: float = POISSON_AGE
) -> np.ndarray:
    """Pages arrive at random, and the probability of a request for one falls exponentially with its age.

    Args:
        arrivals: new pages for each request.
        age: mean age of a requested page, in pages that have arrived since.

    Returns:
        Shape (requests,), int64, numbers of pages.
    """
    newest = np.cumsum(rng.random(requests) < arrivals)
    pages: np.ndarray = newest - np.floor(rng.exponential(age, requests)).astype(np.int64)
    return pages - pages.min()


def drifting(
    requests: int, rng: np.random.Generator, pages: int = IRM_PAGES, skew: float = IRM_SKEW, gap: int = DRIFT_GAP
) -> np.ndarray:
    """Popularity drifts: a Zipf distribution in which two pages, drawn at random, exchange their ranks again and again.

    Args:
        pages, skew: as for `irm`.
        gap: requests from one exchange to the next.

    Returns:
        Shape (requests,), int64, numbers of pages.
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
    """Phases of equal length: independent requests and pages that age take turns, each time with new pages.

    Returns:
        Shape (requests,), int64, numbers of pages.
    """
    ends, parts, first = np.linspace(0, requests, count + 1).astype(int), [], 0
    for number, length in enumerate(np.diff(ends)):
        part = (irm, poisson)[number % 2](int(length), rng)
        parts.append(part + first)
        first += int(part.max(initial=-1)) + 1
    return np.concatenate(parts)
