"""Messages between clients and servers, compiled: each is the one that its RPC has under way."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.event_heap import push
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line
from pmtwin.sim.stations.link import send


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def post(state, source, target, rpc, data_bytes, now_ns):
    """An RPC's message leaves a host, with so much data."""
    at_ns = send(state.links, source, target, state.setting[0].request_bytes + data_bytes, now_ns)
    state.rpc[rpc].at_ns = at_ns
    if state.lines.front[target] == NOBODY:
        push(state.events, at_ns, state.setting[0].servers + target)
    join_line(state.lines, target, rpc)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def receive(state, host):
    """The RPC whose message arrives at a host first."""
    rpc = np.int64(leave_line(state.lines, host))
    following = state.lines.front[host]
    if following != NOBODY:
        push(state.events, state.rpc[following].at_ns, state.setting[0].servers + host)
    return rpc
