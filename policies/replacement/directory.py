"""Map from pages to places: a hash table with chaining in arrays of fixed size, 16 bytes for each place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

NOBODY = -1

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


class Directory(NamedTuple):
    """Map from pages to places; the places are 0 to n - 1.

    Fields:
        pages: shape (n,), int64, the page in each place.
        chain: shape (n,), int32, the next place in the same bucket.
        heads: shape (n,), int32, the first place of each bucket; `NOBODY`: the bucket is empty.
    """

    pages: np.ndarray
    chain: np.ndarray
    heads: np.ndarray


def make_directory(places: int) -> Directory:
    """An empty directory with a number of places."""
    return Directory(np.zeros(places, np.int64), np.zeros(places, np.int32), np.full(places, NOBODY, np.int32))


@njit(cache=True, _nrt=False, inner=True)
def _bucket(directory, page):
    """Bucket of a page, for any number of buckets: by a product with 32 hashed bits, not a remainder (Lemire 2019)."""
    return np.int64((((np.uint64(page) * _GOLDEN) >> _HALF) * np.uint64(directory.heads.size)) >> _HALF)


@njit(cache=True, _nrt=False, inner=True)
def find(directory, page):
    """The page's place; `NOBODY` if it has none."""
    place = directory.heads[_bucket(directory, page)]
    while place >= 0 and directory.pages[place] != page:
        place = directory.chain[place]
    return place


@njit(cache=True, _nrt=False, inner=True)
def enter(directory, place, page):
    """Enter a page without a place into a free place."""
    bucket = _bucket(directory, page)
    directory.pages[place] = page
    directory.chain[place] = directory.heads[bucket]
    directory.heads[bucket] = place


@njit(cache=True, _nrt=False, inner=True)
def leave(directory, place):
    """Remove the page of a place."""
    bucket = _bucket(directory, directory.pages[place])
    predecessor = directory.heads[bucket]
    if predecessor == place:
        directory.heads[bucket] = directory.chain[place]
        return
    while directory.chain[predecessor] != place:
        predecessor = directory.chain[predecessor]
    directory.chain[predecessor] = directory.chain[place]


@njit(cache=True, _nrt=False, inner=True)
def clear(directory):
    """Remove all pages."""
    directory.heads[:] = NOBODY
