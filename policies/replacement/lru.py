"""LRU: evicts the line whose last use is longest ago (the two-tier paper keeps a timestamp in each line)."""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, append, oldest, unlink
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line: it becomes the newest."""
    append(order.lines, order.lines.size - ENDS, line)


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used: it becomes the newest."""
    unlink(order.lines, line)
    admit(order, line)


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line to clear."""
    return oldest(order, 0, pins)


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line):
    """The page of the line leaves."""
    unlink(order.lines, line)
