"""A cache of pages under one replacement policy.

Compiled without reference counting (`_nrt=False`), which would cost more than the work itself: nothing is allocated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.directory import Directory, enter, find, leave
from pmtwin.policies.replacement.events import admit, check_victim, evict, expect, hit, miss, victim
from pmtwin.policies.replacement.lines import Order
from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.state import CompiledState

HIT, FILLED = -1, -2
"""Results of a request that evicts no page: the page was cached, or an empty line was filled."""


class Cache(NamedTuple):
    """A fully associative cache of n lines; pages are numbered from 0.

    Fields:
        directory: page -> line.
        order: state of the policy: an `Order` for shipped policies, a `CompiledState` for users' policies.
        used: shape (1,), int64, number of lines with a page; lines are filled in order.
    """

    directory: Directory
    order: Order | CompiledState
    used: np.ndarray


@njit(cache=True, _nrt=False, forceinline=True)
def access(cache, page, next_use, pins=None):
    """Request a page; afterwards it is cached.

    Args:
        next_use: number of the next request for the page, for MIN; 0 for other policies.
        pins: lines that must keep their page (`pmtwin.policies.replacement.lines.Pins`), not all; None: no line.

    Returns:
        `HIT`, `FILLED`, or the page that was evicted.
    """
    order = cache.order
    expect(order, next_use)
    line = find(cache.directory, page)
    if line >= 0:
        hit(order, line)
        return HIT
    miss(order, page)
    evicted = FILLED
    if cache.used[0] < cache.directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = np.int64(victim(order, pins))
        check_victim(order, line, cache.directory.pages.size, pins)
        evicted = cache.directory.pages[line]
        leave(cache.directory, line)
        evict(order, line, evicted)
    enter(cache.directory, line, page)
    admit(order, line)
    return evicted
