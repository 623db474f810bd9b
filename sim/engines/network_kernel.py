"""The compiled event loop for any network of stations; each station's compiled functions lie with its declaration.

Five functions depend on a station's behaviour: `_enter`, `_leave`, `_next`, `open_window` and `_close_window`. They
branch on its number, which costs a nanosecond or two, since numba compiles no table of functions. A new kind of station
with an existing behaviour changes nothing in this file.

Arguments that the functions share:
    plan, state: records of `pmtwin.sim.stations.plan`; plans, states: arrays of one such record.
    decisions: `pmtwin.sim.decisions.pending.Decisions`, or the empty tuple where no station asks for decisions.
    slot: place of a request in the arrays of `state`. c: index of its class.

Slots, stations and classes are passed as int64, constants too: for a number of another type, or a literal, numba would
compile the function again, and with it all that it calls.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.pending import asks, idles, tell
from pmtwin.sim.decisions.point import GONE
from pmtwin.sim.stations.arrivals import arrivals_over, schedule_arrival
from pmtwin.sim.stations.clients import client_sends, clients_come, think
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.processor_sharing import advance_sharing, join_sharing, leave_sharing, schedule_sharing
from pmtwin.sim.stations.queue import count_busy, count_waiting, join_idling, join_queue, serve_waiting
from pmtwin.sim.stations.router import branch_of
from pmtwin.sim.stations.servers import join_servers, leave_servers, release_server
from pmtwin.sim.stations.station import ARRIVALS, CLIENTS, QUEUE, ROUTER, SERVERS, SHARING

STAYS, PASSES, REJECTED = 0, 1, -1

_GONE, _FIRST = np.int64(GONE), np.int64(0)


@njit(cache=True, inner=True)
def _enter(plan, state, station, slot):
    """A request arrives at a station: `STAYS`, `PASSES` on at once, or `REJECTED`."""
    behaviour = plan.behaviour[station]
    if behaviour == QUEUE:
        return join_queue(plan, state, station, slot)
    if behaviour == SERVERS:
        if not plan.timed[station]:
            return PASSES
        join_servers(plan, state, station, slot)
    elif behaviour == ROUTER:
        return PASSES
    else:
        join_sharing(plan, state, station, slot)
    return STAYS


@njit(cache=True, inner=True)
def _leave(plan, state, station):
    """Slot of the request that leaves the station now; at a source, of a new request, or -1 if it sends none."""
    behaviour = plan.behaviour[station]
    if behaviour == SERVERS:
        return leave_servers(state, station)
    if behaviour == SHARING:
        return leave_sharing(plan, state, station)
    if behaviour == CLIENTS and not client_sends(plan, state, station):
        return -1
    if behaviour == ARRIVALS and arrivals_over(plan, state, station):
        return -1
    c = plan.source_class[station]
    state.free_count -= 1
    slot = state.free[state.free_count]
    state.slot_class[slot], state.slot_index[slot] = c, state.submitted[c]
    state.slot_submitted[slot] = state.now
    state.submitted[c] += np.uint64(1)
    state.present[c] += 1
    if behaviour == ARRIVALS:
        schedule_arrival(plan, state, station, c)
    return slot


@njit(cache=True, _nrt=False, inner=True)
def _release(plan, state, decisions, c, station):
    """Free the servers that a request of class c holds until it leaves this station."""
    for k in range(plan.stations):
        servers = plan.released[c, station, k]
        if servers < 0:
            break
        release_server(plan, state, decisions, servers)


@njit(cache=True, _nrt=False, inner=True)
def _reject(plan, state, decisions, slot, station):
    """Count a request that found the queue full, and free the servers that it holds, the last one first."""
    c = state.slot_class[slot]
    state.rejected[c] += 1
    for servers in range(station - 1, -1, -1):
        for until in range(station, plan.stations):
            for k in range(plan.stations):
                if plan.released[c, until, k] == servers:
                    release_server(plan, state, decisions, servers)


@njit(cache=True, _nrt=False, inner=True)
def _next(plan, state, decisions, slot, station):
    """Index of the station that a request visits next; -1 after the last."""
    if asks(decisions) and plan.behaviour[station] == ROUTER:
        return branch_of(plan, state, decisions, station, slot)
    return plan.next[state.slot_class[slot], station]


@njit(cache=True, _nrt=False, inner=True)
def _go_on(plan, state, decisions, slot, station):
    """Move a request on from the station that it leaves to the next at which it stays; True if it is answered."""
    c = state.slot_class[slot]
    while True:
        if asks(decisions) and plan.tells[station]:
            _tell(state, decisions, slot, station, 0.0)
        _release(plan, state, decisions, c, station)
        station = _next(plan, state, decisions, slot, station)
        if station < 0:
            return True
        if idles(decisions, plan, station):
            result = join_idling(plan, state, decisions, station, slot)
        else:
            result = _enter(plan, state, station, slot)
        if result == STAYS:
            return False
        if result == REJECTED:
            _reject(plan, state, decisions, slot, station)
            _tell(state, decisions, slot, _GONE, plan.rejection_ns)
            _depart(plan, state, slot)
            return False


@njit(cache=True, _nrt=False, inner=True)
def _tell(state, decisions, slot, station, rejected_ns):
    """Report to the decision points that a request leaves a station, or the network (`GONE`)."""
    submitted, index = state.slot_submitted[slot], np.int64(state.slot_index[slot])
    tell(decisions, slot, station, state.now, submitted, state.slot_class[slot], index, rejected_ns)


@njit(cache=True, inner=True)
def _depart(plan, state, slot):
    """An answered or rejected request leaves the network: its slot is free, and its client, if any, thinks."""
    c = state.slot_class[slot]
    source = plan.source[c]
    if plan.behaviour[source] == CLIENTS:
        think(plan, state, source, c, state.slot_index[slot])
    state.present[c] -= 1
    state.free[state.free_count] = slot
    state.free_count += 1


@njit(cache=True, _nrt=False, inner=True)
def take_turns(plan, state, decisions):
    """Move on the requests that were given a server, from their queue, in the order in which they were given it."""
    while state.turn_first < state.turn_end:
        place = state.turn_first & (state.turn_slot.shape[0] - 1)
        state.turn_first += 1
        _go_on(plan, state, decisions, np.int64(state.turn_slot[place]), state.turn_station[place])


@njit(cache=True)
def start(plans, states):
    """Time zero: schedule the first arrivals."""
    plan, state = plans[0], states[0]
    for c in range(plan.classes):
        source = plan.source[c]
        if plan.behaviour[source] == ARRIVALS:
            state.end[source] = 0.0
            schedule_arrival(plan, state, source, c)


@njit(cache=True)
def advance(plans, states, station):
    """Bring the virtual clock of a station up to date, before its declaration changes."""
    if plans[0].behaviour[station] == SHARING:
        advance_sharing(plans[0], states[0], station)


@njit(cache=True, _nrt=False)
def open_window(plans, states, decisions):
    """Begin a window: declarations made since the last one take effect, and sums over the window start at zero."""
    plan, state = plans[0], states[0]
    for c in range(plan.classes):
        state.rejected[c] = 0
    for station in range(plan.stations - 1, -1, -1):
        behaviour = plan.behaviour[station]
        if behaviour == SHARING:
            schedule_sharing(plan, state, station)
        elif behaviour == CLIENTS:
            clients_come(plan, state, station)
        elif behaviour == QUEUE:
            state.spent[station], state.since[station] = 0.0, state.now
        elif behaviour == SERVERS:
            state.spent[station], state.idle[station], state.since[station] = 0.0, 0.0, state.now
            serve_waiting(plan, state, decisions, station)
    take_turns(plan, state, decisions)


@njit(cache=True, _nrt=False)
def run(plans, states, decisions, latency, classes, done, until):
    """Simulate until the time `until`, or `latency` is full, or no slot is free for a new request, or no event is left.

    Args:
        latency, classes: shape (room,), filled from place `done` on, in the order of completion.
        done: number of completions so far in this window.
        until: in ns; `NEVER` for a window that ends when `latency` is full.

    Returns:
        number of completions in this window.
    """
    plan, state = plans[0], states[0]
    stations, over = plan.stations, False
    while done < latency.shape[0]:
        time, station = NEVER, _FIRST
        for s in range(stations - 1, -1, -1):  # at the same instant, the last station comes first
            if state.end[s] < time:
                time, station = state.end[s], s
        if time > until:
            state.now, over = until, True
            break
        if time == NEVER or (state.free_count == 0 and plan.source[plan.source_class[station]] == station):
            break
        state.now = time
        slot = _leave(plan, state, station)
        if slot < 0:
            continue
        if _go_on(plan, state, decisions, slot, station):
            latency[done], classes[done] = time - state.slot_submitted[slot], state.slot_class[slot]
            done += 1
            _tell(state, decisions, slot, _GONE, 0.0)
            _depart(plan, state, slot)
        take_turns(plan, state, decisions)
    if over or (done == latency.shape[0] and until == NEVER):
        _close_window(plan, state)
    return done


@njit(cache=True, inner=True)
def _close_window(plan, state):
    """Bring the waiting, busy and idle times of all stations up to date."""
    for station in range(plan.stations):
        if plan.behaviour[station] == QUEUE:
            count_waiting(state, station)
        elif plan.behaviour[station] == SERVERS:
            count_busy(plan, state, station)
