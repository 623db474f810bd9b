"""What an operation of the store costs on the machine: the store's law beside the times of a node's memory.

    software = far (s - p) c + serial part          s, p: software, and of it what one thread at a time can do
    memory   = reads (L far + walk) + rounds (P far + r) + bytes x time of a byte

`far` is 1 on data of the thread's own node, c the contention of all threads that run. The chain of dependent accesses
waits for the media, which are busy with all threads' lines; the time of a byte holds the waits of streams already.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES
from pmtwin.sim.device.latency import UTILISATION_CAP
from pmtwin.sim.device.payloads import payload_operation
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.shared_node import LINK_MIB_S, NodeAccesses, node_times
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.numa.load import GET, PUT, Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.device_times import DeviceTimes
from pmtwin.sim.store.file import DEFAULT_STORE, load_store
from pmtwin.sim.store.law import Placed, at_serial_part_ns, contention_factor, place
from pmtwin.sim.store.work import Work, work_of

UPDATE, INSERT = "put_update", "put_insert"
PUTS = (UPDATE, INSERT)
"""What a put is to the store: the value of a key that is there changes, its old bytes in a log, or the key is new."""

BUILT_LINK_GB_S = 2 * 20.8
"""Of the links through which `LINK_MIB_S` was measured."""

BISECTIONS = 30
ROUNDS = 2
KEPT = 256
"""Populations whose times are kept: every run of a load meets the same ones."""

MOSTLY_MEMORY = 0.95
"""Share of an operation's time above which a thread counts as always in an access."""


class _Chain(NamedTuple):
    """Parts of a get and a put that depend on the threads that run by no table of bandwidths, in ns.

    Fields: shape (2, 2), by distance and operation: of software and dependent accesses.
        serial_ns: shape (2,), what one thread at a time can do. queue_ns: shape (2,), per unit of the media's queue.
        media_ns: shape (2,), time of the media for all lines.
        read_bytes, written_bytes: shape (2,), that stream.
    """

    software_ns: np.ndarray
    waits_ns: np.ndarray
    serial_ns: np.ndarray
    queue_ns: np.ndarray
    media_ns: np.ndarray
    read_bytes: np.ndarray
    written_bytes: np.ndarray


class StoreCosts:
    """Costs of a load on a machine; see `pmtwin.sim.numa.speed_rows.Costs`."""

    def __init__(self, profile: Profile, machine: Machine, load: Load, records: float, put: str, store: str):
        fit = load_store(store).fit_beside(profile.name)
        chosen = slice(fit.representative, fit.representative + 1)
        self._samples = {name: values[chosen] for name, values in fit.samples.items()}
        self._profile, self._machine = profile, machine
        self._kept: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        writes = payload_operation(True, load.value_bytes)
        self._accesses = NodeAccesses(load.value_bytes, load.value_bytes, writes, load.pattern)
        self.refill_ns_per_byte = self._ns_per_byte(np.zeros((1, 2, 2)))[0, :, GET]
        points = [
            StorePoint(each, 1, load.value_bytes, records, 16.0, machine.cores, machine.threads_per_core, 0)
            for each in ("get", put)
        ]
        placed = [place(profile, point, float(machine.modules)) for point in points]
        works = [work_of(each.counts, self._samples) for each in placed]
        factors = _far_factors(profile, writes)
        parts = [_parts(each, work, factor) for each, work, factor in zip(placed, works, factors, strict=True)]
        self._chain = _Chain(*(np.stack(column, axis=-1) for column in zip(*parts, strict=True)))
        self.read_bytes, self.written_bytes = (
            np.array([each(work) for work in works]) for each in (_read_bytes, _written_bytes)
        )
        self.sibling_factor = float(2.0 / (1.0 + self._samples["smt_yield"][0]))

    def __deepcopy__(self, memo: dict) -> StoreCosts:
        return self  # nothing changes it

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(software, memory) of an operation of each kind in ns; see `Costs.times`."""
        key = counts.tobytes()
        if key not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._times(counts)
        return self._kept[key]

    def _times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        running = counts.sum(axis=(1, 2, 3))
        cores = self._machine.cores * self._machine.nodes
        contention = contention_factor(self._samples, np.maximum(running, 1.0), cores)[:, None, None, None]
        software = self._chain.software_ns * contention * np.ones(counts.shape)
        memory = self._memory_ns(counts)
        for _ in range(ROUNDS if np.min(memory / (software + memory)) < MOSTLY_MEMORY else 0):
            memory = self._memory_ns(counts * memory / (software + memory))
        memory = memory + self._queue_ns(counts, software + memory)
        return software + self._serial_ns(counts, contention, software + memory), memory

    def _memory_ns(self, inside: np.ndarray) -> np.ndarray:
        """Time in memory of each kind, without the queue of its chain, by the threads that are in an access."""
        nodes = [self._ns_per_byte(inside[:, node]) for node in range(inside.shape[1])]
        streams = np.stack(np.broadcast_arrays(*nodes, np.empty(inside[:, 0].shape))[:-1], axis=1)
        read, written = (streams[..., operation, None] for operation in (GET, PUT))
        return self._chain.waits_ns + read * self._chain.read_bytes + written * self._chain.written_bytes

    def _ns_per_byte(self, inside: np.ndarray) -> np.ndarray:
        """Shape (B, 2, 2): time of a byte at one node's memory; links to several nodes add up."""
        if not inside.any():
            inside = inside[:1]  # nobody accesses it: the same in all rows
        machine = self._machine
        link = LINK_MIB_S * machine.links * machine.link_gb_s / BUILT_LINK_GB_S * max(machine.nodes - 1, 1)
        return node_times(self._profile, self._accesses, inside, dimms=machine.modules, link_mib_s=link).ns_per_byte

    def _queue_ns(self, counts: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Waits of dependent accesses for the media of each node, which the other threads' lines keep busy."""
        total = np.maximum(counts.sum(axis=(2, 3), keepdims=True), 1.0)
        low, high = np.zeros(total.shape), np.full(total.shape, UTILISATION_CAP)
        for _ in range(BISECTIONS):
            busy = 0.5 * (low + high)
            queued = time + self._chain.queue_ns * _queue(busy * (total - 1.0) / total)
            caused = (counts * self._chain.media_ns / queued).sum(axis=(2, 3), keepdims=True)
            low, high = np.where(caused > busy, busy, low), np.where(caused > busy, high, busy)
        return self._chain.queue_ns * _queue(low * (total - 1.0) / total)

    def _serial_ns(self, counts: np.ndarray, contention: np.ndarray, elsewhere: np.ndarray) -> np.ndarray:
        """Time at the part of the software that one thread at a time can do: threads of all nodes come to it."""
        serial = self._chain.serial_ns * contention
        visitors = np.where(self._chain.serial_ns > 0.0, counts, 0.0).sum(axis=(1, 2, 3), keepdims=True)
        return np.where(serial > 0.0, at_serial_part_ns(serial, elsewhere, np.maximum(visitors, 1.0)), 0.0)


def store_costs(
    profile: Profile,
    machine: Machine,
    load: Load,
    records: float = 20_000.0,
    put: str = UPDATE,
    store: str = DEFAULT_STORE,
) -> StoreCosts:
    """Costs of a load on a machine, with the store's law in the sample that is nearest to all medians.

    Args:
        records: that the store holds; so few that they fit into the caches need no memory.
        put: of `PUTS`.

    Raises:
        InputError: a profile without the effects of two nodes, or without a store's counts.
    """
    if put not in PUTS:
        raise unknown_name("put", put, PUTS)
    return StoreCosts(profile, machine, load, records, put, store)


def _far_factors(profile: Profile, writes: str) -> tuple[np.ndarray, np.ndarray]:
    """Shape (2,) each, reads and writes: how much longer the store's software and accesses take, near and far."""
    remote = (profile.effects or {})["remote"]
    read, write = (remote[name]["parameters"]["time_factor"] for name in ("load", writes))
    return np.array([1.0, read]), np.array([1.0, write])


def _parts(placed: Placed, work: Work, factors: np.ndarray) -> _Chain:
    """The chain of one operation: arrays by distance, and numbers."""
    device, (software, serial) = placed.device, (work.software_ns[0], work.serial_ns[0])
    reads, rounds = work.reads[0], work.rounds[0] if np.ndim(work.rounds) else float(work.rounds)
    written = float(np.max(work.flushed + work.streamed))
    waits = reads * (device.read_ns * factors + work.walk_ns[0]) + rounds * (
        device.write_ns * factors + work.round_ns[0]
    )
    return _Chain(
        software_ns=(software - serial) * factors,
        waits_ns=waits,
        serial_ns=np.asarray(serial),
        queue_ns=np.asarray(reads * device.read_line_ns + rounds * device.write_line_ns),
        media_ns=np.asarray(_media_ns(device, work)),
        read_bytes=np.asarray(float(np.max(work.value_bytes))),
        written_bytes=np.asarray(written),
    )


def _media_ns(device: DeviceTimes, work: Work) -> float:
    """Time of the media for all lines of an operation."""
    read_lines = float(np.max(work.reads + work.value_bytes / MEDIA_LINE_BYTES))
    return read_lines * device.read_media_ns + float(np.max(work.written_lines)) * device.write_media_ns


def _read_bytes(work: Work) -> float:
    """Bytes that the memory reads for an operation."""
    return float(np.max(work.value_bytes + work.reads * CACHE_LINE_BYTES))


def _written_bytes(work: Work) -> float:
    """Bytes that the memory writes for an operation."""
    return float(np.max(work.flushed + work.streamed + work.rounds * CACHE_LINE_BYTES))


def _queue(busy: np.ndarray) -> np.ndarray:
    """Accesses ahead in the media's queue (`pmtwin.sim.device.latency`)."""
    return 0.5 * busy / (1.0 - busy)
