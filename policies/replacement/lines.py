"""State of a shipped policy: doubly linked lists of lines, as records in one array.

A list is a ring, oldest line first, closed by an end record; the end records follow those of the lines. With the
directory a line takes 32 bytes under LRU, Random and SIEVE, 12 more under LFU, 20 more under MIN; a ghost takes 32.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.directory import Directory, make_directory
from pmtwin.sim.compiling import njit

LINE = np.dtype([("prev", "i4"), ("next", "i4"), ("tag", "i4"), ("count", "i4")])
"""Record of a line: neighbours in its list, list or group, and number of uses, as the policy counts them."""

STATE = np.dtype([
    ("kind", "i8"),  # number of the policy in `pmtwin.policies.replacement.dispatch`
    ("lines", "i8"),  # number of lines of the cache
    ("size", "i8", 2),  # number of lines in each list
    ("ghosts", "i8", 2),  # number of pages in each list of ghosts
    ("came_from", "i8"),  # list of ghosts that had the requested page; -1: none
    ("overflowed", "i8"),  # whether a page has been evicted
    ("small", "i8"),  # length of the small queue
    ("hand", "i8"),  # line where the next search begins
    ("free", "i8"),  # height of the stack of free groups
    ("target", "f8"),  # wanted length of the first list
    ("next_use", "i8"),  # number of the next request for the requested page
    ("key", "u8"), ("drawn", "u8"),  # random key, and numbers drawn with it
])  # fmt: skip
"""Scalar state of all policies; each uses a part of it."""

ENDS = 2
"""Largest number of lists of lines; each has an end record."""


class Order(NamedTuple):
    """State of a policy for a cache of n lines.

    Fields:
        lines: shape (n + ENDS,), `LINE`; the last ones are the ends of the lists.
        ghosts: shape (places + ENDS + 1,), `LINE`: places for ghosts, then the ends of their lists and of the list of
            free places.
        remembered: directory of the ghosts.
        groups: shape (3, n + 1) or (3, 1), int32: groups of lines, or a heap of lines.
        next_use: shape (n,) or (1,), int64: number of the next request for the page of each line.
        state: shape (1,), `STATE`.
    """

    lines: np.ndarray
    ghosts: np.ndarray
    remembered: Directory
    groups: np.ndarray
    next_use: np.ndarray
    state: np.ndarray


def make_order(lines: int, key: int = 0, ghosts: int = 0, grouped: bool = False, clairvoyant: bool = False) -> Order:
    """State of a policy for an empty cache.

    Args:
        lines: number of lines.
        key: key of the random numbers, uint64.
        ghosts: largest number of ghosts.
        grouped: whether the policy uses `groups`.
        clairvoyant: whether the policy uses `next_use`.
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
    """Put all places for ghosts into the list of free places."""
    for place in range(room):
        append(ghosts, room + ENDS, place)


class Pins(NamedTuple):
    """Users of the cached pages: a line whose page is in use is pinned.

    Fields:
        pages: shape (n,), int64, the page in each line.
        holders: shape (pages,), int32, number of users of each page.
    """

    pages: np.ndarray
    holders: np.ndarray


@njit(cache=True, _nrt=False, forceinline=True)
def is_pinned(pins, line):
    """Whether a line must keep its page; False if `pins` is None."""
    if pins is None:
        return False
    return pins.holders[pins.pages[line]] > 0


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def oldest(order, number, pins):
    """The oldest line of a list without a pin; the end of the list, a number beyond all lines, if all are pinned."""
    end = order.lines.size - ENDS + number
    line = np.int64(order.lines[end].next)
    while line != end and is_pinned(pins, line):
        line = np.int64(order.lines[line].next)
    return line


@njit(cache=True, _nrt=False, inner=True)
def unlink(records, place):
    """Take a record out of its list."""
    previous, following = records[place].prev, records[place].next
    records[previous].next = following
    records[following].prev = previous


@njit(cache=True, _nrt=False, inner=True)
def insert_after(records, previous, place):
    """Insert a record after the record `previous` of a list."""
    following = records[previous].next
    records[place].prev, records[place].next = previous, following
    records[previous].next = place
    records[following].prev = place


@njit(cache=True, _nrt=False)
def append(records, end, place):
    """Append a record to the list with this end."""
    insert_after(records, records[end].prev, place)


@njit(cache=True, _nrt=False, inner=True)
def join_list(order, number, line):
    """Append a line to one of the policy's lists."""
    order.lines[line].tag = number
    order.state[0].size[number] += 1
    append(order.lines, order.lines.size - ENDS + number, line)


@njit(cache=True, _nrt=False, inner=True)
def leave_list(order, line):
    """Take a line out of its list."""
    order.state[0].size[order.lines[line].tag] -= 1
    unlink(order.lines, line)
