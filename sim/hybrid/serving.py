"""Servers and links of the devices, compiled: an access has a server for its latency, then the link for its data.

A request comes before all moves that wait; among each of the two, first come is first served.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.records import LATENCY, LINK, TRANSFER
from pmtwin.sim.stations.event_heap import push
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def begin_access(state, time, number):
    """A participant comes to the device of its present access."""
    access = state.access[number, state.party[number].at]
    device, write = state.device[access.device], access.write
    is_move, idle_ns = number >= state.setting[0].slots, 0.0
    if not is_move:
        if device.present == 0:
            device.since_ns = time
            idle_ns = time - device.rested_ns
        device.present += 1
    if device.busy[write] < device.servers[write]:
        device.busy[write] += 1
        _serve(state, time, number, idle_ns)
    else:
        join_line(state.lines, 6 * access.device + 2 * write + is_move, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def end_latency(state, time, number):
    """The latency of an access ends: its server is free, and its data need the link."""
    access = state.access[number, state.party[number].at]
    device, write = state.device[access.device], access.write
    following = _next_in_line(state, 6 * access.device + 2 * write)
    if following == NOBODY:
        device.busy[write] -= 1
    else:
        _serve(state, time, following, 0.0)
    if device.busy[LINK] == 0:
        device.busy[LINK] = 1
        _transfer(state, time, number)
    else:
        join_line(state.lines, 6 * access.device + 2 * LINK + (number >= state.setting[0].slots), number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def end_access(state, time, number):
    """The data of an access are there: the link is free."""
    access = state.access[number, state.party[number].at]
    device = state.device[access.device]
    following = _next_in_line(state, 6 * access.device + 2 * LINK)
    if following == NOBODY:
        device.busy[LINK] = 0
    else:
        _transfer(state, time, following)
    if number < state.setting[0].slots:
        device.data_ns += access.size / device.bytes_per_ns[access.write]
        device.present -= 1
        if device.present == 0:
            device.busy_ns += time - device.since_ns
            device.rested_ns = time


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _next_in_line(state, line):
    first = leave_line(state.lines, line)
    return leave_line(state.lines, line + 1) if first == NOBODY else first


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _serve(state, time, number, idle_ns):
    """Begin the latency of an access that has a server; requests left the device alone for `idle_ns` before."""
    party = state.party[number]
    access = state.access[number, party.at]
    device, write = state.device[access.device], access.write
    latency = device.latency_ns[write]
    if access.start != device.head:
        latency += device.seek_ns[write]
    if device.wake_ns[write] > 0.0 and idle_ns > 0.0:
        latency += device.wake_ns[write] * idle_ns / (idle_ns + device.wake_half_ns)
    if not write or device.seek_ns[write] > 0.0:  # a cached write leaves the head where it is
        device.head = access.start + access.size
    party.step = LATENCY
    push(state.events, time + latency, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _transfer(state, time, number):
    """Begin the transfer of an access that has the link."""
    party = state.party[number]
    access = state.access[number, party.at]
    device = state.device[access.device]
    if access.write:
        device.written += access.size
    else:
        device.read += access.size
    party.step = TRANSFER
    push(state.events, time + access.size / device.bytes_per_ns[access.write], number)
