"""The arrays of a running cluster, which the compiled functions share.

Hosts are numbered servers first, then clients; OSC `c * servers + s` is that of client c to server s. Units of an OSC
are numbered by their place on its server's disk.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.lustre.cluster import MOST_WINDOW, Cluster
from pmtwin.sim.lustre.draws import keys_of, tables_of
from pmtwin.sim.lustre.load import PATTERNS, Load
from pmtwin.sim.numa.latencies import BINS
from pmtwin.sim.stations.disk_queue import Disks, make_disks
from pmtwin.sim.stations.event_heap import Events, make_events
from pmtwin.sim.stations.hard_disk import GB, READ
from pmtwin.sim.stations.lines import Lines, empty_lines
from pmtwin.sim.stations.link import Links, make_links
from pmtwin.sim.stations.ordered import NEVER

CLEAN, FRESH, TAKEN = range(3)
"""Units of a client's cache: not dirty, or in flight; dirty; the same as clean, but still in the line of dirty ones."""

CREATING, APPENDING, READING, DELETING = range(4)
"""Stages of a thread that works on files."""

SETTING = np.dtype([
    ("servers", "i8"), ("clients", "i8"), ("threads", "i8"), ("readers", "i8"), ("server_threads", "i8"),
    ("request_bytes", "i8"),
    ("window", "i8"), ("gap_ns", "f8"),
    ("pattern", "i8"), ("read_share", "f8"), ("unit_bytes", "i8"), ("units", "i8"), ("rpc_units", "i8"),
    ("piece", "i8"), ("stride", "i8"),  # units that lie together on a disk; bytes from piece to piece
    ("dirty_bytes", "i8"), ("readahead", "i8"), ("file_units", "i8"),
    ("call_ns", "f8"), ("metadata_ns", "f8"), ("foreign_key", "u8"), ("foreign", "i1"),
])  # fmt: skip

OSC = np.dtype([
    ("in_flight", "i8"), ("last_sent_ns", "f8"), ("turn", "i8"), ("timer_ns", "f8"), ("due", "i1"),  # kind that is next
    ("dirty", "i8"), ("fresh", "i8"), ("head", "i8"), ("queued", "i8"),  # bytes, units; line of dirty units
    ("reads", "i8"), ("read_head", "i8"),  # line of reads that are not sent
    ("replied_ns", "f8"), ("replied_sent_ns", "f8"), ("replies", "i8"),
    ("ack_ns", "f8"), ("send_ns", "f8"), ("process_ns", "f8"), ("least_process_ns", "f8"),
    ("bytes", "i8", (2,)), ("rpcs", "i8", (2,)), ("hits", "i8", (2,)), ("accepted", "i8"),
])  # fmt: skip

THREAD = np.dtype([
    ("key", "u8"), ("operations", "i8"), ("kind", "i8"), ("stage", "i8"),
    ("left", "i8"), ("following", "i8"), ("first", "i8"), ("base", "i8"), ("asked", "i8"),  # of the operation
    ("unit", "i8"), ("since_ns", "f8"),  # what a thread that waits for room writes
])  # fmt: skip

RPC = np.dtype([
    ("osc", "i8"), ("thread", "i8"), ("unit", "i8"), ("asked_ns", "f8"), ("sent_ns", "f8"), ("at_ns", "f8"),
    ("came_ns", "f8"), ("served_ns", "f8"),
])  # fmt: skip

SERVER = np.dtype([("busy", "i8"), ("waiting", "i8")])

TALLY = np.dtype([("now_ns", "f8"), ("free", "i8"), ("due", "i8"), ("bursts", "i8"), ("events", "i8")])

ASKED = np.dtype([("thread", "i8"), ("unit", "i8"), ("asked_ns", "f8")])


class State(NamedTuple):
    """The state of a cluster with S servers, C clients, O = S C OSCs and T threads of each client.

    Fields:
        setting, tally: shape (1,). osc: shape (O,). thread: shape (C T,). server: shape (S,). rpc: shape (R,).
        free: shape (R,), RPCs that nobody uses.
        due: shape (O,), OSCs that may have something to send after the present event.
        disks: of the servers; members are RPCs. links: of the hosts.
        lines: of the arrivals at each host, then of the RPCs that wait for a thread of each server.
        blocked: lines of the threads that wait for room for dirty data, by OSC.
        cache: shape (O, units), uint8: state of each unit. dirty: shape (O, L), a ring: units that are dirty, oldest
            first. asked: shape (O, A), a ring: reads that are not sent.
        events: of disks, arrivals at hosts, timers of OSCs, threads, foreign traffic, in this order.
        tables: of `draws`. latency: shape (2, BINS), histograms of the times of reads, and of calls that write.
    """

    setting: np.ndarray
    tally: np.ndarray
    osc: np.ndarray
    thread: np.ndarray
    server: np.ndarray
    rpc: np.ndarray
    free: np.ndarray
    due: np.ndarray
    disks: Disks
    links: Links
    lines: Lines
    blocked: Lines
    cache: np.ndarray
    dirty: np.ndarray
    asked: np.ndarray
    events: Events
    tables: np.ndarray
    latency: np.ndarray


def make_state(cluster: Cluster, load: Load, seed: int | tuple[int, ...]) -> State:
    """A cluster at time 0, before its threads begin.

    Raises:
        InputError: for data that the disks have no room for, or units that are too large.
    """
    cluster.check_data(load.data_gb)
    region = cluster.region_bytes(load.data_gb)
    load.check_units(cluster.rpc_kib * 1024, region)
    oscs, threads, rpcs = cluster.oscs, cluster.clients * load.threads, cluster.oscs * MOST_WINDOW
    hosts, keys = cluster.servers + cluster.clients, keys_of(seed, threads + 1)
    setting, units = _setting(cluster, load, region), region // load.unit_bytes
    setting["foreign_key"] = keys[-1]
    thread, osc, tally = np.zeros(threads, THREAD), np.zeros(oscs, OSC), np.zeros(1, TALLY)
    thread["key"], thread["stage"] = keys[:-1], DELETING
    osc["last_sent_ns"], osc["least_process_ns"], osc["timer_ns"], osc["turn"] = -NEVER, NEVER, NEVER, READ
    tally["free"] = rpcs
    disks = make_disks(cluster.servers, rpcs, cluster.hard_disk, cluster.deadline)
    lines = empty_lines(hosts + cluster.servers, 0)
    room = 2 * (int(setting["dirty_bytes"][0]) // load.unit_bytes) + 1
    return State(
        setting=setting,
        tally=tally,
        osc=osc,
        thread=thread,
        server=np.zeros(cluster.servers, SERVER),
        rpc=np.zeros(rpcs, RPC),
        free=np.arange(rpcs),
        due=np.zeros(oscs, np.int64),
        disks=disks,
        links=make_links(hosts, cluster.link_mb_s, cluster.latency_us * 1e3),
        lines=lines._replace(behind=disks.behind),
        blocked=empty_lines(oscs, threads),
        cache=np.zeros((oscs, units), np.uint8),
        dirty=np.zeros((oscs, room), np.int64),
        asked=np.zeros((oscs, load.threads * cluster.readahead), ASKED),
        events=make_events(cluster.servers + hosts + oscs + threads + 1),
        tables=tables_of(cluster.foreign_gap_s * 1e9, cluster.foreign_s * 1e9, load.file_units),
        latency=np.zeros((2, BINS), np.int64),
    )


def _setting(cluster: Cluster, load: Load, region: int) -> np.ndarray:
    setting = np.zeros(1, SETTING)
    for name in ("servers", "clients", "server_threads", "request_bytes", "readahead"):
        setting[name] = getattr(cluster, name)
    for name in ("threads", "readers", "read_share", "unit_bytes", "file_units"):
        setting[name] = getattr(load, name)
    setting["pattern"] = PATTERNS.index(load.pattern)
    setting["units"], setting["rpc_units"] = region // load.unit_bytes, cluster.rpc_kib * 1024 // load.unit_bytes
    disk_bytes = cluster.hard_disk.disk_gb * GB
    setting["piece"], setting["stride"] = load.places(cluster.clients, region, disk_bytes)
    setting["dirty_bytes"] = max(int(cluster.dirty_mb * (1 << 20)), load.unit_bytes)
    setting["call_ns"] = cluster.call_us * 1e3 + load.unit_bytes * 1e3 / cluster.copy_mb_s
    setting["metadata_ns"] = 2.0 * cluster.metadata_ms * 1e6
    setting["foreign"] = cluster.foreign_s > 0.0
    setting["window"], setting["gap_ns"] = 8, 0.0
    return setting
