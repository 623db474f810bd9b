"""Pending events as a binary heap in arrays, ordered by time and, at equal times, by participant.

A participant is a client, an I/O thread or a disk; it has a number and at most one pending event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit


class Events(NamedTuple):
    """Pending events.

    Fields:
        times: shape (participants,), float64.
        numbers: shape (participants,), int32, number of each event's participant.
        size: shape (1,), int64, number of pending events.
    """

    times: np.ndarray
    numbers: np.ndarray
    size: np.ndarray


def make_events(participants: int) -> Events:
    """An empty heap for this number of participants."""
    return Events(np.zeros(participants), np.zeros(participants, np.int32), np.zeros(1, np.int64))


@njit(cache=True, _nrt=False)
def push(events, time, number):
    """Add an event of participant `number`, which has none pending."""
    place = events.size[0]
    events.size[0] = place + 1
    _rise(events, place, time, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _rise(events, place, time, number):
    """Put an event where it belongs above an empty place."""
    while place > 0:
        above = (place - 1) >> 1
        if not _before(time, number, events.times[above], events.numbers[above]):
            break
        events.times[place], events.numbers[place] = events.times[above], events.numbers[above]
        place = above
    events.times[place], events.numbers[place] = time, number


@njit(cache=True, _nrt=False)
def bring_forward(events, time, number):
    """Let the pending event of participant `number` happen at an earlier time."""
    place = 0
    while events.numbers[place] != number:
        place += 1
    _rise(events, place, time, number)


@njit(cache=True, _nrt=False, forceinline=True)
def replace_first(events, time, number):
    """Replace the first event by another, in one pass."""
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
    """Remove the first event."""
    last = events.size[0] - 1
    events.size[0] = last
    if last > 0:
        replace_first(events, events.times[last], events.numbers[last])


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _before(time, number, other_time, other_number):
    return time < other_time or (time == other_time and number < other_number)
