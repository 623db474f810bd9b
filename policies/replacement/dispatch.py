"""One kernel for all shipped policies: each event branches on the number of the policy.

A kernel for each policy would have to be compiled separately, which takes 13 s for the whole system.
"""

from __future__ import annotations

from pmtwin.policies.replacement import arc, belady, lfu, lru, random, s3_fifo, sieve
from pmtwin.sim.compiling import njit

BRANCHES = ("lru", "lfu", "random", "min", "sieve", "s3-fifo", "arc")
LRU, LFU, RANDOM, MIN, SIEVE, S3_FIFO, ARC = range(len(BRANCHES))


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def hit(kind, order, line):
    """A cached page is requested."""
    if kind == LRU:
        lru.hit(order, line)
    elif kind == LFU:
        lfu.hit(order, line)
    elif kind == MIN:
        belady.hit(order, line)
    elif kind == SIEVE:
        sieve.hit(order, line)
    elif kind == S3_FIFO:
        s3_fifo.hit(order, line)
    elif kind == ARC:
        arc.hit(order, line)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def miss(kind, order, page):
    """A page is requested that is not cached."""
    if kind == S3_FIFO:
        s3_fifo.miss(order, page)
    elif kind == ARC:
        arc.miss(order, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def victim(kind, order, pins=None):
    """The line of a full cache to clear, called after `miss`; `evict` clears it.

    Args:
        pins: `pmtwin.policies.replacement.lines.Pins`, with at least one line free; None: no line is pinned. MIN
            ignores them.
    """
    if kind == LRU:
        return lru.victim(order, pins)
    if kind == LFU:
        return lfu.victim(order, pins)
    if kind == RANDOM:
        return random.victim(order, pins)
    if kind == MIN:
        return belady.victim(order)
    if kind == SIEVE:
        return sieve.victim(order, pins)
    if kind == S3_FIFO:
        return s3_fifo.victim(order, pins)
    return arc.victim(order, pins)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def evict(kind, order, line, page):
    """The page of a line leaves, whichever policy chose it."""
    if kind == LRU:
        lru.evict(order, line)
    elif kind == LFU:
        lfu.evict(order, line)
    elif kind == MIN:
        belady.evict(order, line)
    elif kind == SIEVE:
        sieve.evict(order, line)
    elif kind == S3_FIFO:
        s3_fifo.evict(order, line, page)
    elif kind == ARC:
        arc.evict(order, line, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def admit(kind, order, line):
    """The requested page is put into a free line."""
    if kind == LRU:
        lru.admit(order, line)
    elif kind == LFU:
        lfu.admit(order, line)
    elif kind == MIN:
        belady.admit(order, line)
    elif kind == SIEVE:
        sieve.admit(order, line)
    elif kind == S3_FIFO:
        s3_fifo.admit(order, line)
    elif kind == ARC:
        arc.admit(order, line)


@njit(cache=True, _nrt=False)
def prepare(kind, order):
    """Prepare the state of an empty cache for a policy."""
    order.state[0].kind = kind
    if kind == LFU:
        lfu.prepare(order)
    elif kind == S3_FIFO:
        s3_fifo.prepare(order)
