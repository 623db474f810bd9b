"""The arrays of a running machine, which the compiled functions share.

Kinds of operation are those of `pmtwin.sim.numa.kinds`, numbered in that order; those that run beside a busy sibling
are a class of their own, since their software takes longer: class = 2 kind + crowded. The last class is that of threads
which lose time to the kernel before they go on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.numa.kinds import kinds_of
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.stations.lines import NOBODY, Lines
from pmtwin.sim.stations.ordered import FRONT, NEVER, ROOM_BESIDES

SMT, SOCKET, NUMA = range(3)
DOMAINS = 3
"""Scheduling domains of a logical core, from its siblings up."""

NEVER_ENDS = 1 << 62
"""Requests of a thread without end."""

THREAD = np.dtype([
    ("core", "i4"),  # on whose queue it is; NOBODY: done
    ("running", "i1"), ("single", "i1"),  # whether all of its data are on one node
    ("home", "i4"),  # that node
    ("warm", "i4"),  # physical core whose caches hold its data
    ("operation", "i4"), ("device", "i4"), ("kind", "i4"), ("group", "i4"),  # of the operation under way; its class
    ("left", "f8"),  # of it, while the thread does not run, in operations
    ("lost_ns", "f8"),  # to the kernel, before the operation goes on: switches and faults
    ("began_ns", "f8"), ("since_ns", "f8"), ("stopped_ns", "f8"),  # operation; last look at its times; last ran
    ("operations", "i8"), ("quota", "i8"), ("key", "u8"),
    ("cpu_ns", "f8"), ("sys_ns", "f8"), ("wait_ns", "f8"), ("latency_ns", "f8"),
    ("done", "i8", (2, 2)),  # by distance and operation
    ("migrations", "i8"), ("node_migrations", "i8"), ("switches", "i8"), ("minor_faults", "f8"),
])  # fmt: skip

CORE = np.dtype([
    ("node", "i4"), ("sibling", "i4"), ("physical", "i4"),
    ("running", "i4"), ("runnable", "i4"),  # thread that runs; number of those that run or wait
    ("last", "i4"),  # thread that ran last
    ("since_ns", "f8"), ("busy_ns", "f8"), ("runnable_ns", "f8"),
    ("done", "i8", (2, 2)),
])  # fmt: skip

SETTING = np.dtype([
    ("threads", "i8"), ("cores", "i8"), ("nodes", "i8"), ("offsets", "i8"), ("node_cores", "i8"), ("physical", "i8"),
    ("read_share", "f8"), ("sequential", "i1"), ("touched_bytes", "f8"), ("pool_bytes", "f8"), ("page_bytes", "f8"),
    ("latency_ns", "f8"), ("least_slice_ns", "f8"), ("switch_ns", "f8"), ("fault_ns", "f8"),
    ("refill_ns", "f8", (2,)),  # near, far
    ("balance", "i1"), ("busy_factor", "f8"), ("hot_ns", "f8"),
    ("excess", "f8", (DOMAINS,)), ("weight_ns", "f8", (DOMAINS,)),  # ratio that is too much; interval, 0: no domain
])  # fmt: skip

TALLY = np.dtype([
    ("now_ns", "f8"), ("last_ns", "f8"),  # of the run; of the virtual clocks
    ("alive", "i8"),  # threads that are not done
    ("hash", "u8"), ("row", "i8"), ("changed", "i1"),  # of the running threads by kind; whether the row is another one
    ("active", "i8"),  # classes with running threads
    ("due_ns", "f8"), ("due", "i8"), ("moved", "i1"),  # next call of the kernel; whether it must be looked for
    ("untouched", "f8"),  # pages that no thread has accessed
])  # fmt: skip


class Progress(NamedTuple):
    """Operations that run, by class, as the stations' sorted lists: `pmtwin.sim.stations.ordered`.

    Fields:
        keys, slots: ends in virtual time, and their threads. head, tail: of each class.
        virtual: shape (Q,), clock of each class, in operations.
    """

    keys: np.ndarray
    slots: np.ndarray
    head: np.ndarray
    tail: np.ndarray
    virtual: np.ndarray


class Speeds(NamedTuple):
    """Speeds by numbers of running threads; see `pmtwin.sim.numa.speed_rows`.

    Fields:
        mark: shape (K,), uint64, a random number of each kind. The hash of counts is the sum of count x mark.
        hashes, places: shape (H,), a hash table: hash of counts -> row.
        speeds, inverse: shape (R, Q), operations per ns of each class, and ns per operation; 1 of time that is lost.
        alone_ns: shape (K,), of an operation alone on the machine.
    """

    mark: np.ndarray
    hashes: np.ndarray
    places: np.ndarray
    speeds: np.ndarray
    inverse: np.ndarray
    alone_ns: np.ndarray


class State(NamedTuple):
    """The state of a machine of N nodes and C logical cores with T threads; K = 2 N H kinds and Q = 2 K + 1 classes.

    Fields:
        setting, tally: shape (1,). thread: shape (T,). core: shape (C,).
        failed: shape (C, DOMAINS), looks of each core in a row that moved nothing, though queues were out of balance.
        allowed: shape (T, C), uint8, affinity. shares: shape (T, N), sums up to each node of the threads' shares.
        queues: those who wait, a line for each core.
        due_ns: shape (C + DOMAINS C,), end of each core's slice, then next look of each core into each domain.
        counts: shape (K,), running threads of each kind. active: shape (Q,), classes with running threads, ascending.
        noise: work of an operation, equally likely values (`pmtwin.sim.draws`); shape (1,): always 1.
        flow: shape (N, N, 2), finished operations by node of the data, node of the thread, operation.
        latency: shape (BINS,), histogram of the times of operations.
        sums: shape (C,), for `pmtwin.sim.numa.balance` alone.
    """

    setting: np.ndarray
    tally: np.ndarray
    thread: np.ndarray
    core: np.ndarray
    failed: np.ndarray
    allowed: np.ndarray
    shares: np.ndarray
    queues: Lines
    due_ns: np.ndarray
    counts: np.ndarray
    active: np.ndarray
    progress: Progress
    speeds: Speeds
    noise: np.ndarray
    flow: np.ndarray
    latency: np.ndarray
    sums: np.ndarray


def classes_of(nodes: int) -> int:
    """Number of classes: two of each kind, and that of threads which lose time."""
    return 2 * kinds_of(nodes) + 1


def empty_progress(classes: int, threads: int) -> Progress:
    """No operation under way."""
    keys = np.full((classes, threads + ROOM_BESIDES + 1), NEVER)
    ends = np.full(classes, FRONT, np.int64)
    return Progress(keys, np.full(keys.shape, NOBODY, np.int32), ends, ends.copy(), np.zeros(classes))


def empty_cores(machine: Machine) -> np.ndarray:
    """Idle cores."""
    core = np.zeros(machine.processors, CORE)
    core["node"], core["sibling"] = machine.node_of, machine.sibling_of
    place = np.arange(machine.processors) % machine.node_cores % machine.cores
    core["physical"] = core["node"] * machine.cores + place
    core["running"] = core["last"] = NOBODY
    return core
