"""The cluster, event by event, compiled.

Of events at the same instant ends of disks come first, then arrivals at hosts, timers of OSCs, calls of threads and
foreign traffic, each by number.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.lustre.client import answered, go_on, pump, read_on, to_pump
from pmtwin.sim.lustre.draws import burst_of
from pmtwin.sim.lustre.server import disk_ends, take
from pmtwin.sim.lustre.transfer import receive
from pmtwin.sim.stations.event_heap import push, remove_first
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.link import occupy
from pmtwin.sim.stations.ordered import NEVER


@njit(cache=True, _nrt=False)
def start(state):
    """The threads begin one after the other, a call apart."""
    setting = state.setting[0]
    first = 2 * setting.servers + setting.clients + state.osc.size
    for t in range(state.thread.size):
        push(state.events, t * setting.call_ns, first + t)
    if setting.foreign:
        _burst(state, first + state.thread.size, 0.0)


@njit(cache=True, nogil=True, _nrt=False)
def run(state, until_ns):
    """All that happens until a time, the events at that time too."""
    setting, events, tally = state.setting[0], state.events, state.tally[0]
    servers = setting.servers
    hosts = servers + setting.clients
    while events.size[0] > 0 and events.times[0] <= until_ns:
        now_ns, number = events.times[0], np.int64(events.numbers[0])
        remove_first(events)
        tally.now_ns = now_ns
        tally.events += 1
        reader = NOBODY
        if number < servers:
            disk_ends(state, number, now_ns)
        elif number < servers + hosts:
            host = number - servers
            rpc = receive(state, host)
            if host < servers:
                take(state, host, rpc, now_ns)
            else:
                reader = answered(state, rpc, now_ns)
        elif number < servers + hosts + state.osc.size:
            o = number - servers - hosts
            state.osc[o].timer_ns = NEVER
            to_pump(state, o)
        elif number < servers + hosts + state.osc.size + state.thread.size:
            reader = go_on(state, number - servers - hosts - state.osc.size, now_ns)
        else:
            _burst(state, number, now_ns)
        if reader != NOBODY:
            read_on(state, reader, now_ns)
        for place in range(tally.due):
            pump(state, state.due[place], now_ns)
        tally.due = 0
    tally.now_ns = until_ns


@njit(cache=True, _nrt=False)
def pump_all(state):
    """All OSCs send what they may, after a change of the window or the rate limit."""
    for o in range(state.osc.size):
        pump(state, o, state.tally[0].now_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _burst(state, number, now_ns):
    """Foreign traffic takes the link of a server, after each gap but the first."""
    setting, tally = state.setting[0], state.tally[0]
    server, length_ns, gap_ns = burst_of(state.tables, setting.foreign_key, tally.bursts, setting.servers)
    if tally.bursts > 0:
        occupy(state.links.out_ns, server, length_ns, now_ns)
        occupy(state.links.in_ns, server, length_ns, now_ns)
    tally.bursts += 1
    push(state.events, now_ns + gap_ns, number)
