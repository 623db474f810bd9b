"""A cache of pages under one replacement policy.

Compiled without reference counts (`_nrt`), which would cost more than the work itself; nothing is allocated here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.directory import Directory, enter, find, leave
from pmtwin.policies.replacement.dispatch import admit, evict, hit, miss, victim
from pmtwin.policies.replacement.lines import Order
from pmtwin.sim.compiling import njit

HIT, FILLED = -1, -2
"""Results of a request that evicts no page."""


class Cache(NamedTuple):
    """A fully associative cache of n lines; its pages are numbers from 0.

    Fields:
        directory: page -> line.
        order: state of the policy on the lines, with the policy's number.
        used: shape (1,), int64, lines with a page; the first ones.
    """

    directory: Directory
    order: Order
    used: np.ndarray


@njit(cache=True, _nrt=False, forceinline=True)
def access(cache, page, next_use, pins=None):
    """A request for a page, which is cached then.

    Args:
        next_use: number of the next request for it, which MIN wants to know; 0 for the others.
        pins: pages that must stay, if any (`pmtwin.policies.replacement.lines.Pins`); they leave a line free.

    Returns:
        `HIT`, the page that is evicted for it, or `FILLED`, if there was an empty line.
    """
    order, state = cache.order, cache.order.state[0]
    state.next_use = next_use
    line = find(cache.directory, page)
    if line >= 0:
        hit(state.kind, order, line)
        return HIT
    miss(state.kind, order, page)
    gone = FILLED
    if cache.used[0] < cache.directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = np.int64(victim(state.kind, order, pins))
        gone = cache.directory.pages[line]
        leave(cache.directory, line)
        evict(state.kind, order, line, gone)
    enter(cache.directory, line, page)
    admit(state.kind, order, line)
    return gone
