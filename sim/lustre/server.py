"""Servers, compiled: an RPC holds a thread from its begin until its data are on the disk, or read from it."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.lustre.transfer import post
from pmtwin.sim.stations.disk_queue import complete, submit
from pmtwin.sim.stations.event_heap import push
from pmtwin.sim.stations.hard_disk import READ
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line
from pmtwin.sim.stations.ordered import NEVER


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def take(state, server, rpc, now_ns):
    """An RPC comes to a server, and waits if all threads are busy."""
    state.rpc[rpc].came_ns = now_ns
    entry, setting = state.server[server], state.setting[0]
    if entry.busy == setting.server_threads:
        entry.waiting += 1
        join_line(state.lines, setting.servers + setting.clients + server, rpc)
        return
    entry.busy += 1
    _begin(state, server, rpc, now_ns)


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def disk_ends(state, server, now_ns):
    """A command of a server's disk ends: its RPCs are answered, and others begin."""
    disks, setting = state.disks, state.setting[0]
    rpc = complete(disks, server, now_ns)
    if disks.disk[server].end_ns < NEVER:
        push(state.events, disks.disk[server].end_ns, server)
    line = setting.servers + setting.clients + server
    while rpc != NOBODY:
        following = disks.behind[rpc]
        asked, entry = disks.member[rpc], state.rpc[rpc]
        entry.served_ns = now_ns
        client = setting.servers + entry.osc // setting.servers
        post(state, server, client, rpc, asked.length if asked.kind == READ else 0, now_ns)
        waiting = np.int64(leave_line(state.lines, line))
        if waiting == NOBODY:
            state.server[server].busy -= 1
        else:
            state.server[server].waiting -= 1
            _begin(state, server, waiting, now_ns)
        rpc = following


@njit(cache=True, _nrt=False, inner=True, forceinline=True)
def _begin(state, server, rpc, now_ns):
    disk = state.disks.disk[server]
    idle = disk.end_ns == NEVER
    submit(state.disks, server, rpc, now_ns)
    if idle and disk.end_ns < NEVER:
        push(state.events, disk.end_ns, server)
