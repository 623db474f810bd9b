"""Requests replayed through a cache: a block at a time, compiled."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.replacement import cache as single
from pmtwin.policies.replacement import weight_sharing as shared
from pmtwin.policies.replacement.belady import NEVER
from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.weight_sharing import SharedCache

UNKNOWN = np.zeros(0, np.int64)
"""Next uses that nobody wants to know."""


def replay(cache: Cache | SharedCache, pages: np.ndarray, next_use: np.ndarray | None = None) -> int:
    """Requests for pages, one after the other; what is cached stays for the next call.

    Args:
        pages: shape (n,), int64, 0 or more.
        next_use: shape (n,), int64, the number of the next request for each page (`next_uses`), for MIN.

    Returns:
        The number of misses.
    """
    of_kind = shared if isinstance(cache, SharedCache) else single
    return int(of_kind.replay_block(cache, pages, UNKNOWN if next_use is None else next_use))


def next_uses(pages: np.ndarray) -> np.ndarray:
    """Shape (n,), int64: for each request the number of the next one for the same page; `NEVER` for the last.

    Args:
        pages: shape (n,), int64, the whole sequence of requests.
    """
    order = np.argsort(pages, kind="stable")
    following = np.full(pages.size, NEVER, np.int64)
    same = pages[order[1:]] == pages[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    return following
