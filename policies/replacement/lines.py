"""State of a policy on the cache's lines: doubly linked lists over records in one array.

A list is a ring through its end, a record behind those of the lines; the oldest line comes first. With the directory a
line takes 32 bytes under LRU, Random and SIEVE, 12 more under LFU, 20 more under MIN; a ghost takes 32 too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.directory import Directory, make_directory
from pmtwin.sim.compiling import njit

LINE = np.dtype([("prev", "i4"), ("next", "i4"), ("tag", "i4"), ("count", "i4")])
"""A line: neighbours in its list, the list or group that it is in, and how often it was used, as the policy counts."""

STATE = np.dtype([
    ("kind", "i8"),  # of `pmtwin.policies.replacement.dispatch`
    ("lines", "i8"),  # of the cache
    ("size", "i8", 2),  # lines in each list
    ("ghosts", "i8", 2),  # pages in each list of ghosts
    ("came_from", "i8"),  # list of ghosts in which the missing page was found; -1: in none
    ("overflowed", "i8"),  # whether the cache has ever been full
    ("small", "i8"),  # lines of the small queue
    ("hand", "i8"),  # where the next search begins
    ("free", "i8"),  # entries of a stack of free groups
    ("target", "f8"),  # lines that the first list should have
    ("next_use", "i8"),  # number of the request that next wants the page in question
    ("key", "u8"), ("drawn", "u8"),  # random key, and numbers drawn under it
])  # fmt: skip
"""Further state of a policy; each uses a part of it."""

ENDS = 2
"""Lists of lines that a policy may have."""


class Order(NamedTuple):
    """The state of one policy on one cache of n lines.

    Fields:
        lines: shape (n + ENDS,), `LINE`; the last are the ends of the lists.
        ghosts: shape (ghosts + ENDS + 1,), `LINE`: pages that are remembered, and the list of free places.
        remembered: the directory of the ghosts.
        groups: shape (3, n + 1) or (3, 1), int32: groups of lines, or a heap of them.
        next_use: shape (n,) or (1,), int64: number of the request that next wants the page of a line.
        state: shape (1,), `STATE`.
    """

    lines: np.ndarray
    ghosts: np.ndarray
    remembered: Directory
    groups: np.ndarray
    next_use: np.ndarray
    state: np.ndarray


def make_order(lines: int, key: int = 0, ghosts: int = 0, grouped: bool = False, clairvoyant: bool = False) -> Order:
    """The state of a policy on an empty cache.

    Args:
        lines: of the cache.
        key: of the random numbers, uint64.
        ghosts: pages that were evicted and are remembered, at most.
        grouped, clairvoyant: whether there is room for groups, and for each line's next use.
    """
    room = max(ghosts, 1)
    order = Order(
        np.zeros(lines + ENDS, LINE), np.zeros(room + ENDS + 1, LINE), make_directory(room),
        np.zeros((3, lines + 1 if grouped else 1), np.int32), np.zeros(lines if clairvoyant else 1, np.int64),
        np.zeros(1, STATE),
    )  # fmt: skip
    for records, entries in ((order.lines, lines), (order.ghosts, room)):
        records["prev"][entries:] = records["next"][entries:] = np.arange(entries, len(records))
    order.state["lines"], order.state["key"], order.state["hand"] = lines, key, lines
    _free_ghosts(order.ghosts, room)
    return order


def _free_ghosts(ghosts: np.ndarray, room: int) -> None:
    """Put all places for ghosts into the list of free ones."""
    for place in range(room):
        append(ghosts, room + ENDS, place)


class Pins(NamedTuple):
    """Lines that must not lose their page now.

    Fields:
        pages: shape (n,), int64, the page in each line.
        holders: shape (pages,), int32, how many use each page; that of a line with none may leave.
    """

    pages: np.ndarray
    holders: np.ndarray


@njit(cache=True, _nrt=False, forceinline=True)
def is_pinned(pins, line):
    """Whether the line must keep its page; `pins` may be None, and then no line must."""
    if pins is None:
        return False
    return pins.holders[pins.pages[line]] > 0


@njit(cache=True, _nrt=False, forceinline=True)
def oldest(order, number, pins):
    """The oldest line of a list that may lose its page; the list's end, behind all lines, if none may."""
    end = order.lines.size - ENDS + number
    line = np.int64(order.lines[end].next)
    while line != end and is_pinned(pins, line):
        line = np.int64(order.lines[line].next)
    return line


@njit(cache=True, _nrt=False)
def unlink(records, place):
    """Take a record out of its list."""
    before, after = records[place].prev, records[place].next
    records[before].next = after
    records[after].prev = before


@njit(cache=True, _nrt=False)
def insert_after(records, before, place):
    """Put a record into the list of another one, behind that."""
    after = records[before].next
    records[place].prev, records[place].next = before, after
    records[before].next = place
    records[after].prev = place


@njit(cache=True, _nrt=False)
def append(records, end, place):
    """Put a record into the last place of a list, given by its end."""
    insert_after(records, records[end].prev, place)


@njit(cache=True, _nrt=False)
def join_list(order, number, line):
    """Put a line into the last place of one of the policy's lists."""
    order.lines[line].tag = number
    order.state[0].size[number] += 1
    append(order.lines, order.lines.size - ENDS + number, line)


@njit(cache=True, _nrt=False)
def leave_list(order, line):
    """Take a line out of the list that it is in."""
    order.state[0].size[order.lines[line].tag] -= 1
    unlink(order.lines, line)
