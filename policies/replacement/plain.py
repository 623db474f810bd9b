"""The policies that do not learn, by name, and their interface to the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.replacement import dispatch, s3_fifo
from pmtwin.policies.replacement.cache import Cache
from pmtwin.policies.replacement.directory import make_directory
from pmtwin.policies.replacement.lines import Order, make_order


@dataclass(frozen=True)
class Replacement:
    """The interface of a policy to the kernel.

    Args:
        kind: its number in `pmtwin.policies.replacement.dispatch`.
        description: one line.
        clairvoyant: whether it knows the next request of each page.
        grouped: whether it needs room for groups of lines.
        ghosts: lines -> pages that it remembers.
    """

    kind: int
    description: str
    clairvoyant: bool = False
    grouped: bool = False
    ghosts: Callable[[int], int] = lambda lines: 0


POLICIES = {
    "lru": Replacement(dispatch.LRU, "least recently used"),
    "lfu": Replacement(dispatch.LFU, "least frequently used since it was cached", grouped=True),
    "random": Replacement(dispatch.RANDOM, "any line"),
    "min": Replacement(dispatch.MIN, "wanted again last (Belady): knows the future", clairvoyant=True, grouped=True),
    "sieve": Replacement(dispatch.SIEVE, "a hand from old to new spares what was used since it passed"),
    "s3-fifo": Replacement(
        dispatch.S3_FIFO, "a small queue of new pages, a main one, and ghosts", ghosts=s3_fifo.ghost_pages
    ),
    "arc": Replacement(dispatch.ARC, "recent and frequent pages, balanced by ghosts", ghosts=lambda lines: lines),
}


def plain_order(name: str, lines: int, key: int = 0) -> Order:
    """State of a policy on an empty cache."""
    policy = POLICIES[name]
    order = make_order(lines, key, policy.ghosts(lines), policy.grouped, policy.clairvoyant)
    dispatch.prepare(policy.kind, order)
    return order


def plain_cache(name: str, lines: int, key: int = 0) -> Cache:
    """An empty cache under a policy."""
    return Cache(make_directory(lines), plain_order(name, lines, key), np.zeros(1, np.int64))
