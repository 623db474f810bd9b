"""Requests of a station sorted by their end, in compiled code: `state.keys[station, head:tail]`, ascending, then NEVER.

`state` is any record or tuple of arrays with `keys`, `slots`, `head` and `tail`; a row of `keys` has `ROOM_BESIDES`
places more than the requests that it ever holds.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

NEVER = np.inf

STATION_MOVE = 192
"""A station's requests move to the front of its arrays after this many have left: few, to stay in the nearest cache."""

FRONT = 64
"""Where the requests of a station begin after a move: before it is room for those that belong at the head."""

ROOM_BESIDES = STATION_MOVE + FRONT

LONG = 24
"""A station with more requests than this is worth a look at which end a new one belongs."""


@njit(cache=True)
def insert(state, station, key, slot):
    """Insert in ascending order, behind equal keys."""
    if state.head[station] >= STATION_MOVE:
        move_to_front(state, station)
    j, head = state.tail[station], state.head[station]
    if j - head > LONG and head > 0 and key < state.keys[station, (head + j) >> 1]:
        insert_from_head(state, station, key, slot)
        return
    while j > head and state.keys[station, j - 1] > key:
        state.keys[station, j] = state.keys[station, j - 1]
        state.slots[station, j] = state.slots[station, j - 1]
        j -= 1
    state.keys[station, j] = key
    state.slots[station, j] = slot
    state.tail[station] += 1
    state.keys[station, state.tail[station]] = NEVER


@njit(cache=True)
def insert_from_head(state, station, key, slot):
    """The same where the place is nearer to the head: a short request among many that wait for a hardware thread."""
    j, tail = state.head[station], state.tail[station]
    while j < tail and state.keys[station, j] <= key:
        state.keys[station, j - 1] = state.keys[station, j]
        state.slots[station, j - 1] = state.slots[station, j]
        j += 1
    state.keys[station, j - 1] = key
    state.slots[station, j - 1] = slot
    state.head[station] -= 1


@njit(cache=True)
def move_to_front(state, station):
    head = state.head[station]
    count = state.tail[station] - head
    for j in range(count):
        state.keys[station, FRONT + j] = state.keys[station, head + j]
        state.slots[station, FRONT + j] = state.slots[station, head + j]
    state.head[station], state.tail[station] = FRONT, FRONT + count
    state.keys[station, FRONT + count] = NEVER
