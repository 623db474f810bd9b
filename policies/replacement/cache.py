"""A cache of pages under one replacement policy.

Compiled without reference counts (`_nrt`), which would cost more than the work itself; nothing is allocated here.
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
"""Results of a request that evicts no page."""


class Cache(NamedTuple):
    """A fully associative cache of n lines; its pages are numbers from 0.

    Fields:
        directory: page -> line.
        order: state of the policy on the lines: `Order` of the shipped ones, or a `CompiledState`.
        used: shape (1,), int64, lines with a page; the first ones.
    """

    directory: Directory
    order: Order | CompiledState
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
    order = cache.order
    expect(order, next_use)
    line = find(cache.directory, page)
    if line >= 0:
        hit(order, line)
        return HIT
    miss(order, page)
    gone = FILLED
    if cache.used[0] < cache.directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = np.int64(victim(order, pins))
        check_victim(order, line, cache.directory.pages.size, pins)
        gone = cache.directory.pages[line]
        leave(cache.directory, line)
        evict(order, line, gone)
    enter(cache.directory, line, page)
    admit(order, line)
    return gone
