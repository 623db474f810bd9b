"""LRU: the line that has not been used for longest is evicted (the paper keeps a timestamp in each line)."""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, append, oldest, unlink
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False)
def admit(order, line):
    """A page comes into the line: it is the last to go."""
    append(order.lines, order.lines.size - ENDS, line)


@njit(cache=True, _nrt=False)
def hit(order, line):
    """The line is used: it is the last to go."""
    unlink(order.lines, line)
    admit(order, line)


@njit(cache=True, _nrt=False)
def victim(order, pins):
    """The line that goes."""
    return oldest(order, 0, pins)


@njit(cache=True, _nrt=False)
def evict(order, line):
    """The page of the line leaves."""
    unlink(order.lines, line)
