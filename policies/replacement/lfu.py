"""LFU: evicts the line with the fewest uses since its page was cached; among equals, the one longest at that count.

Counts are kept only while a page is cached. All lines are in one list, sorted by count; lines with the same count form
a group in order of arrival, so that each step takes constant time (Shah, Mitra and Matani 2010).
"""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, insert_after, oldest, unlink
from pmtwin.sim.compiling import njit

LAST, COUNT, FREE = 0, 1, 2
"""Rows of `Order.groups`: last line of a group, count of a group, stack of free groups."""


@njit(cache=True, _nrt=False, inner=True)
def prepare(order):
    """Mark all groups free."""
    groups = order.groups.shape[1]
    for group in range(groups):
        order.groups[FREE, group] = group
    order.state[0].free = groups


@njit(cache=True, _nrt=False, inner=True)
def _join(order, before, line, count):
    """Append a line to the group of a count.

    Args:
        before: the last line with a smaller count, or the end of the list.
    """
    lines, groups, state = order.lines, order.groups, order.state[0]
    after = lines[before].next
    if after < lines.size - ENDS and groups[COUNT, lines[after].tag] == count:
        group = lines[after].tag
        before = groups[LAST, group]
    else:
        state.free -= 1
        group = groups[FREE, state.free]
        groups[COUNT, group] = count
    insert_after(lines, before, line)
    groups[LAST, group] = line
    lines[line].tag = group


@njit(cache=True, _nrt=False, inner=True)
def admit(order, line):
    """A page is put into the line: its count is 1."""
    _join(order, order.lines.size - ENDS, line, 1)


@njit(cache=True, _nrt=False, inner=True)
def evict(order, line):
    """The page of the line leaves. Returns the last line with the same or a smaller count, or the end of the list."""
    lines, groups, state = order.lines, order.groups, order.state[0]
    group, before = lines[line].tag, lines[line].prev
    unlink(lines, line)
    if groups[LAST, group] != line:
        return groups[LAST, group]
    if before < lines.size - ENDS and lines[before].tag == group:
        groups[LAST, group] = before
    else:
        groups[FREE, state.free] = group
        state.free += 1
    return before


@njit(cache=True, _nrt=False, inner=True)
def hit(order, line):
    """The line is used once more."""
    count = order.groups[COUNT, order.lines[line].tag]
    _join(order, evict(order, line), line, count + 1)


@njit(cache=True, _nrt=False, inner=True)
def victim(order, pins):
    """The line to clear."""
    return oldest(order, 0, pins)
