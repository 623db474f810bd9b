"""LFU: the line used least often since its page came is evicted; of several, the one that has had its count longest.

Counts are kept only while a page is cached. All lines stand in one list by their count; lines with the same count are a
group, in the order in which they came to it, so that each step takes constant time (Shah, Mitra and Matani 2010).
"""

from __future__ import annotations

from pmtwin.policies.replacement.lines import ENDS, insert_after, oldest, unlink
from pmtwin.sim.compiling import njit

LAST, COUNT, FREE = 0, 1, 2
"""Rows of `Order.groups`: a group's last line, its count, and a stack of groups that are free."""


@njit(cache=True, _nrt=False)
def prepare(order):
    """Marks all groups free."""
    groups = order.groups.shape[1]
    for group in range(groups):
        order.groups[FREE, group] = group
    order.state[0].free = groups


@njit(cache=True, _nrt=False)
def _join(order, before, line, count):
    """Put a line into the group of a count, whose lines come after `before`, the last line with a smaller one."""
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


@njit(cache=True, _nrt=False)
def admit(order, line):
    """A page comes into the line: it has been used once."""
    _join(order, order.lines.size - ENDS, line, 1)


@njit(cache=True, _nrt=False)
def evict(order, line):
    """The page of the line leaves. Returns the last line of a smaller or the same count."""
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


@njit(cache=True, _nrt=False)
def hit(order, line):
    """The line is used once more."""
    count = order.groups[COUNT, order.lines[line].tag]
    _join(order, evict(order, line), line, count + 1)


@njit(cache=True, _nrt=False)
def victim(order, pins):
    """The line that goes."""
    return oldest(order, 0, pins)
