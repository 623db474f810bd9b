"""Connections (OSCs) and threads of the clients, compiled."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.lustre.cache import make_dirty, take_run
from pmtwin.sim.lustre.operations import begin_operation
from pmtwin.sim.lustre.records import FRESH
from pmtwin.sim.lustre.transfer import post
from pmtwin.sim.numa.latencies import bin_of
from pmtwin.sim.stations.event_heap import bring_forward, push
from pmtwin.sim.stations.gate import opens_at
from pmtwin.sim.stations.hard_disk import READ, WRITE
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line
from pmtwin.sim.stations.ordered import NEVER

SMOOTHING = 0.125
"""Weight of the newest gap in the moving averages (ASCAR: 1/8, as TCP's)."""


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def to_pump(state, o):
    """An OSC may have something to send, which it does at the end of the event."""
    if not state.osc[o].due:
        state.osc[o].due = 1
        state.due[state.tally[0].due] = o
        state.tally[0].due += 1


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def pump(state, o, now_ns):
    """An OSC sends what window and rate limit allow, reads and writes in turn where both wait."""
    osc, setting = state.osc[o], state.setting[0]
    osc.due = 0
    while osc.reads > 0 or osc.fresh > 0:
        at_ns = opens_at(osc.in_flight, setting.window, osc.last_sent_ns, setting.gap_ns, now_ns)
        if at_ns > now_ns:
            if at_ns < osc.timer_ns:
                number = np.int64(2 * setting.servers + setting.clients + o)
                if osc.timer_ns < NEVER:  # the limit of the rate was raised meanwhile
                    bring_forward(state.events, at_ns, number)
                else:
                    push(state.events, at_ns, number)
                osc.timer_ns = at_ns
            return
        kind = osc.turn
        if osc.reads == 0:
            kind = WRITE
        elif osc.fresh == 0:
            kind = READ
        osc.turn = 1 - kind
        _send(state, o, kind, now_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _send(state, o, kind, now_ns):
    """An RPC leaves its client."""
    osc, setting, tally = state.osc[o], state.setting[0], state.tally[0]
    tally.free -= 1
    rpc = state.free[tally.free]
    entry, count = state.rpc[rpc], 1
    if kind == READ:
        asked = state.asked[o, osc.read_head]
        osc.read_head = (osc.read_head + 1) % state.asked.shape[1]
        osc.reads -= 1
        entry.thread, entry.unit, entry.asked_ns = asked.thread, asked.unit, asked.asked_ns
    else:
        entry.unit, count = take_run(state, o)
        entry.thread = NOBODY
    entry.osc, entry.sent_ns = o, now_ns
    osc.in_flight += 1
    osc.last_sent_ns = now_ns
    client, server = o // setting.servers, o % setting.servers
    request = state.disks.member[rpc]
    request.kind, request.length = kind, count * setting.unit_bytes
    place = client * setting.units + entry.unit
    request.address = place // setting.piece * setting.stride + place % setting.piece * setting.unit_bytes
    post(state, setting.servers + client, server, rpc, request.length if kind == WRITE else 0, now_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def answered(state, rpc, now_ns):
    """The answer of an RPC is at its client; returns the thread that has read, or `NOBODY`."""
    entry, request, setting = state.rpc[rpc], state.disks.member[rpc], state.setting[0]
    o, kind, length = entry.osc, request.kind, request.length
    osc = state.osc[o]
    _note_reply(osc, entry, now_ns)
    osc.in_flight -= 1
    osc.bytes[kind] += length
    osc.rpcs[kind] += 1
    state.free[state.tally[0].free] = rpc
    state.tally[0].free += 1
    reader = NOBODY
    if kind == READ:
        reader = entry.thread
        state.latency[READ, bin_of(now_ns - entry.asked_ns)] += 1
        state.thread[reader].asked -= 1
    else:
        osc.dirty -= length
        while state.blocked.front[o] != NOBODY and osc.dirty + setting.unit_bytes <= setting.dirty_bytes:
            _accept(state, o, leave_line(state.blocked, o), now_ns)
    to_pump(state, o)
    return reader


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _note_reply(osc, entry, now_ns):
    """Moving averages of the gaps between answers, and between the times at which their requests were sent."""
    if osc.replies > 0:
        osc.ack_ns += SMOOTHING * (now_ns - osc.replied_ns - osc.ack_ns)
        osc.send_ns += SMOOTHING * (abs(entry.sent_ns - osc.replied_sent_ns) - osc.send_ns)
    osc.replies += 1
    osc.replied_ns, osc.replied_sent_ns = now_ns, entry.sent_ns
    osc.process_ns = entry.served_ns - entry.came_ns
    osc.least_process_ns = min(osc.least_process_ns, osc.process_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def go_on(state, t, now_ns):
    """A thread's next call, of its operation or of the next one; returns the thread if it reads, or else `NOBODY`."""
    thread = state.thread[t]
    if thread.left == 0:
        begin_operation(state, t)
        if thread.left == 0:  # nothing but metadata
            push(state.events, now_ns + state.setting[0].metadata_ns, _number(state, t))
            return NOBODY
    if thread.kind == READ:
        return t
    o, unit = _following(state, t)
    osc, setting = state.osc[o], state.setting[0]
    thread.unit, thread.since_ns = unit, now_ns
    if state.cache[o, unit] != FRESH and osc.dirty + setting.unit_bytes > setting.dirty_bytes:
        join_line(state.blocked, o, t)
    else:
        _accept(state, o, t, now_ns)
        to_pump(state, o)
    return NOBODY


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _accept(state, o, t, now_ns):
    """A thread's unit goes to the cache, and the thread goes on."""
    thread, end_ns = state.thread[t], now_ns + state.setting[0].call_ns
    make_dirty(state, o, thread.unit)
    state.latency[WRITE, bin_of(end_ns - thread.since_ns)] += 1
    push(state.events, end_ns, _number(state, t))


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def read_on(state, t, now_ns):
    """A thread asks for what it may read ahead; once it has all, it goes on."""
    thread, readahead = state.thread[t], state.setting[0].readahead
    while thread.left > 0 and thread.asked < readahead:
        o, unit = _following(state, t)
        osc = state.osc[o]
        if state.cache[o, unit] == FRESH:
            osc.hits[READ] += 1
            continue
        thread.asked += 1
        asked = state.asked[o, (osc.read_head + osc.reads) % state.asked.shape[1]]
        asked.thread, asked.unit, asked.asked_ns = t, unit, now_ns
        osc.reads += 1
        to_pump(state, o)
    if thread.left == 0 and thread.asked == 0:
        push(state.events, now_ns + state.setting[0].call_ns, _number(state, t))


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _following(state, t):
    """(OSC, unit) of a thread's next call."""
    thread, setting = state.thread[t], state.setting[0]
    place = thread.first + thread.following
    thread.following += 1
    thread.left -= 1
    client = t // setting.threads
    unit = (thread.base + place // setting.servers) % setting.units
    return client * setting.servers + place % setting.servers, unit


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _number(state, t):
    """Number of a thread's events."""
    servers, clients = state.setting[0].servers, state.setting[0].clients
    return np.int64(2 * servers + clients + servers * clients + t)
