"""Dirty data of a client's connections (OSCs), compiled: units that are dirty, and the RPCs that they make.

The line of dirty units is in the order in which they became dirty. An RPC takes the oldest, and with it those beside it
that are dirty too and lie together on the disk, below it first, up to the size of an RPC.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.lustre.records import CLEAN, FRESH, TAKEN


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def make_dirty(state, o, unit):
    """A unit is written to the cache; one that is dirty is written over."""
    osc = state.osc[o]
    osc.accepted += 1
    was = state.cache[o, unit]
    if was == FRESH:
        osc.hits[1] += 1
        return
    state.cache[o, unit] = FRESH
    osc.dirty += state.setting[0].unit_bytes
    osc.fresh += 1
    if was == CLEAN:
        _append(state, o, unit)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def take_run(state, o):
    """(first unit, number of units) that the next RPC of writes takes; there is a dirty unit."""
    osc, cache, setting = state.osc[o], state.cache, state.setting[0]
    most, before = setting.rpc_units, o // setting.servers * setting.units
    unit = _pop(state, o)
    while cache[o, unit] == TAKEN:
        cache[o, unit] = CLEAN
        unit = _pop(state, o)
    cache[o, unit] = CLEAN
    first, count = unit, 1
    while count < most and first > 0 and (before + first) % setting.piece > 0 and cache[o, first - 1] == FRESH:
        first -= 1
        cache[o, first] = TAKEN
        count += 1
    behind = first + count
    while count < most and behind < setting.units and (before + behind) % setting.piece and cache[o, behind] == FRESH:
        cache[o, behind] = TAKEN
        count += 1
        behind += 1
    osc.fresh -= count
    return first, count


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _pop(state, o):
    osc = state.osc[o]
    unit = state.dirty[o, osc.head]
    osc.head += 1
    if osc.head == state.dirty.shape[1]:
        osc.head = 0
    osc.queued -= 1
    return unit


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _append(state, o, unit):
    """To the end of the line; where it is full, those that are taken leave it first."""
    osc, room = state.osc[o], state.dirty.shape[1]
    if osc.queued == room:
        kept = 0
        for number in range(room):
            other = state.dirty[o, (osc.head + number) % room]
            if state.cache[o, other] == TAKEN:
                state.cache[o, other] = CLEAN
            else:
                state.dirty[o, (osc.head + kept) % room] = other
                kept += 1
        osc.queued = kept
    place = osc.head + osc.queued
    if place >= room:
        place -= room
    state.dirty[o, place] = unit
    osc.queued += 1
