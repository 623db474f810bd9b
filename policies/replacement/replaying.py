"""Compiled replay of a block of requests through a cache."""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from pmtwin.policies.replacement import cache as single
from pmtwin.policies.replacement import hedge as hedged
from pmtwin.policies.replacement import weight_sharing as shared
from pmtwin.policies.replacement.belady import NEVER
from pmtwin.policies.replacement.cache import HIT, Cache
from pmtwin.policies.replacement.foreign import ForeignCache
from pmtwin.policies.replacement.hedge import HedgedCache
from pmtwin.policies.replacement.python_cache import PythonCache
from pmtwin.policies.replacement.weight_sharing import SharedCache
from pmtwin.sim.compiling import INNER, njit

UNKNOWN = np.zeros(0, np.int64)
"""Empty next uses, for policies that do not need them."""

_ACCESS = {
    Cache: single.access, SharedCache: shared.access, HedgedCache: hedged.access, PythonCache: PythonCache.access,
}  # fmt: skip


def request(cache, page, next_use, pins=None):
    """Request a page, in compiled code: calls the `access` of the cache's type, which is resolved on compilation."""
    return _ACCESS[type(cache)](cache, page, next_use, pins)


@overload(request, jit_options=INNER, inline="always")
def _request(cache, page, next_use, pins=None):
    access = _ACCESS[cache.instance_class]
    return lambda cache, page, next_use, pins=None: access(cache, page, next_use, pins)


@njit(cache=True, nogil=True, _nrt=False)
def _replay(cache, pages, next_use):
    misses, known = 0, next_use.size > 0
    for i in range(pages.size):
        misses += request(cache, pages[i], next_use[i] if known else 0) != HIT
    return misses


def replay(
    cache: Cache | SharedCache | HedgedCache | PythonCache | ForeignCache,
    pages: np.ndarray,
    next_use: np.ndarray | None = None,
) -> int:
    """Request pages one after the other; the cache keeps its pages for the next call.

    Args:
        pages: shape (n,), int64, page numbers of 0 or more.
        next_use: shape (n,), int64, for each request the number of the next one for the same page (`next_uses`); needed
            by MIN only.

    Returns:
        The number of misses.
    """
    if isinstance(cache, ForeignCache | PythonCache):
        return cache.replay(pages)
    return int(_replay(cache, pages, UNKNOWN if next_use is None else next_use))


def next_uses(pages: np.ndarray) -> np.ndarray:
    """For each request the number of the next one for the same page, or `NEVER`: shape (n,), int64.

    Args:
        pages: shape (n,), int64, the whole sequence of requests.
    """
    order = np.argsort(pages, kind="stable")
    following = np.full(pages.size, NEVER, np.int64)
    same = pages[order[1:]] == pages[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    return following
