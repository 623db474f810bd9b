"""Pending events as a binary heap in arrays: the least time comes first, of equal times the least number.

Each participant (a client, an I/O thread, a disk) has a number and at most one pending event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit


class Events(NamedTuple):
    """Pending events.

    Fields:
        times: shape (participants,), float64.
        numbers: shape (participants,), int32, whose event it is.
        size: shape (1,), int64, how many are pending.
    """

    times: np.ndarray
    numbers: np.ndarray
    size: np.ndarray


def make_events(participants: int) -> Events:
    """No pending event."""
    return Events(np.zeros(participants), np.zeros(participants, np.int32), np.zeros(1, np.int64))


@njit(cache=True, _nrt=False)
def push(events, time, number):
    """Add the event of a participant that has none."""
    place = events.size[0]
    events.size[0] = place + 1
    while place > 0:
        above = (place - 1) >> 1
        if not _before(time, number, events.times[above], events.numbers[above]):
            break
        events.times[place], events.numbers[place] = events.times[above], events.numbers[above]
        place = above
    events.times[place], events.numbers[place] = time, number


@njit(cache=True, _nrt=False, forceinline=True)
def replace_first(events, time, number):
    """Replaces the first event."""
    size, place = events.size[0], 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        right = below + 1
        if right < size and _before(
            events.times[right], events.numbers[right], events.times[below], events.numbers[below]
        ):
            below = right
        if not _before(events.times[below], events.numbers[below], time, number):
            break
        events.times[place], events.numbers[place] = events.times[below], events.numbers[below]
        place = below
    events.times[place], events.numbers[place] = time, number


@njit(cache=True, _nrt=False)
def remove_first(events):
    """The first event is over."""
    last = events.size[0] - 1
    events.size[0] = last
    if last > 0:
        replace_first(events, events.times[last], events.numbers[last])


@njit(cache=True, _nrt=False, forceinline=True)
def _before(time, number, other_time, other_number):
    return time < other_time or (time == other_time and number < other_number)
