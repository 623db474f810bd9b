"""Requests of each station in the order of their end times, in compiled code.

Argument `state` is any record or tuple with arrays `keys`, `slots`, `head` and `tail`. A station's end times are
`state.keys[station, head:tail]`, ascending and followed by NEVER; `state.slots` has the request of each. A row has
`ROOM_BESIDES` more places than the largest number of requests.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit

NEVER = np.inf

STATION_MOVE = 192
"""Departures after which a station's requests move to the front of its row. The number is small so that they stay in
the processor's cache."""

FRONT = 64
"""First place of a station's requests after such a move; the places before it are for insertions at the head."""

ROOM_BESIDES = STATION_MOVE + FRONT

_1, _2, _3, _4 = np.uint32(1), np.uint32(2), np.uint32(3), np.uint32(4)

LONG = 24
"""With more requests than this, an insertion starts at the end of the row that is nearer."""


@njit(cache=True, inner=True)
def insert(state, station, key, slot):
    """Insert a request with end time `key`, behind equal keys."""
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


@njit(cache=True, forceinline=True, inner=True)
def insert_among_many(state, station, key, slot):
    """Like `insert`, but comparing four places at a time: single comparisons cause costly branch mispredictions.

    The comparisons may reach the four places before the head. These hold requests that have left, whose keys are not
    above the new one. The caller puts the first request of all at FRONT, so that these places exist.
    """
    keys, slots = state.keys[station], state.slots[station]
    if state.head[station] >= STATION_MOVE:
        move_to_front(state, station)
    j, head = state.tail[station], state.head[station]
    if j - head > LONG and head > _4 and key < keys[(head + j) >> 1]:
        insert_from_head(state, station, key, slot)
        return
    state.tail[station] = j + _1
    keys[j + _1] = NEVER
    while True:
        key_1, key_2, key_3, key_4 = keys[j - _1], keys[j - _2], keys[j - _3], keys[j - _4]
        slot_1, slot_2, slot_3, slot_4 = slots[j - _1], slots[j - _2], slots[j - _3], slots[j - _4]
        keys[j], slots[j] = _at_or_before(key_1, slot_1, key, slot)
        behind = _at_or_before(key_2, slot_2, key, slot)
        keys[j - _1], slots[j - _1] = (key_1, slot_1) if key_1 <= key else behind
        behind = _at_or_before(key_3, slot_3, key, slot)
        keys[j - _2], slots[j - _2] = (key_2, slot_2) if key_2 <= key else behind
        behind = _at_or_before(key_4, slot_4, key, slot)
        keys[j - _3], slots[j - _3] = (key_3, slot_3) if key_3 <= key else behind
        if key_4 <= key:
            return
        j -= _4


@njit(cache=True, forceinline=True, inner=True)
def _at_or_before(before, slot_before, key, slot):
    """(key, slot) for a place at or behind the new request's: those of the place before it, or the new request's."""
    return (before, slot_before) if before > key else (key, slot)


@njit(cache=True, inner=True)
def insert_from_head(state, station, key, slot):
    """Insert from the head: the requests before the new one each move one place towards the front."""
    j, tail = state.head[station], state.tail[station]
    while j < tail and state.keys[station, j] <= key:
        state.keys[station, j - 1] = state.keys[station, j]
        state.slots[station, j - 1] = state.slots[station, j]
        j += 1
    state.keys[station, j - 1] = key
    state.slots[station, j - 1] = slot
    state.head[station] -= 1


@njit(cache=True, inner=True)
def move_to_front(state, station):
    """Move a station's requests so that the first is at FRONT."""
    head = state.head[station]
    count = state.tail[station] - head
    for j in range(count):
        state.keys[station, FRONT + j] = state.keys[station, head + j]
        state.slots[station, FRONT + j] = state.slots[station, head + j]
    state.head[station], state.tail[station] = FRONT, FRONT + count
    state.keys[station, FRONT + count] = NEVER


@njit(cache=True, inner=True)
def remove(state, station, slot):
    """Remove a request that is among the station's, before its end; returns its key."""
    j = state.head[station]
    while state.slots[station, j] != slot:
        j += 1
    key, last = state.keys[station, j], state.tail[station] - 1
    while j < last:
        state.keys[station, j] = state.keys[station, j + 1]
        state.slots[station, j] = state.slots[station, j + 1]
        j += 1
    state.keys[station, last] = NEVER
    state.tail[station] = last
    return key
