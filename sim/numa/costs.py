"""What an operation of the store costs on the machine: the store's law beside the times of a node's memory.

    software = f (s - p) c + serial part          s, p: software, and of it what one thread at a time can do
    memory   = reads (L + walk) + rounds (P + r) + bytes x time of a byte + waits for the link and the media

f, L and P are the law's, near the data and far from them; c is the contention of all threads that run. One thread takes
as long as `pmtwin.sim.store.law` says, and so do several in software and dependent accesses. The time of a streamed
byte is the device's with all threads that are in an access, where the law has that of one thread until the media are
full: a read, a flush and a non-temporal store each have their own.

A node without processors has a device of its own, whose profile was measured from processors elsewhere: all threads are
as far from it as its profile says, whatever node they run on, and no other link than that of the profile limits them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.latency import UTILISATION_CAP
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.device.shared_node import NodeErrors
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.numa.chain import Chain
from pmtwin.sim.numa.kinds import distances, no_threads, thread_nodes
from pmtwin.sim.numa.links import carried_per_ns, link_wait_ns
from pmtwin.sim.numa.load import Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.numa.node_memory import STREAM, NodeMemory
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import DEFAULT_STORE, load_store
from pmtwin.sim.store.law import at_serial_part_ns, clock_factor, lock_factor

__all__ = ["INSERT", "PUTS", "STREAM", "UPDATE", "Plausible", "StoreCosts", "store_costs"]

UPDATE, INSERT = "put_update", "put_insert"
PUTS = (UPDATE, INSERT)
"""What a put is to the store: the value of a key that is there changes, its old bytes in a log, or the key is new."""

BISECTIONS = 30
ROUNDS = 2
KEPT = 1 << 16
"""Populations whose times are kept, in 12 MB for two nodes: every run of a load meets the same ones."""

MOSTLY_MEMORY = 0.95
"""Share of the time of one thread's operations above which threads count as always in an access."""


class _Elsewhere(NamedTuple):
    """What an operation takes before it waits for the media and the serial part; shape (B, N, H, 2) each.

    Fields:
        counts: threads that run. link_ns: wait for the link, part of `time_ns`.
        media_ns: time of the media for all lines, and the directory's entries.
        serial_ns: time of the serial part for a thread alone.
    """

    counts: np.ndarray
    time_ns: np.ndarray
    link_ns: np.ndarray
    media_ns: np.ndarray
    serial_ns: np.ndarray


class Plausible(NamedTuple):
    """What a plausible system has beside its profile.

    Fields:
        law: number of the joint sample of the store's law; None: the sample that is nearest to all medians.
        errors: of the device's times; None: none.
        memory_errors: the same of the nodes without processors.
    """

    law: int | None = None
    errors: NodeErrors | None = None
    memory_errors: NodeErrors | None = None


class StoreCosts:
    """Costs of a load on a machine; see `pmtwin.sim.numa.speed_rows.Costs`."""

    def __init__(
        self,
        profile: Profile,
        machine: Machine,
        load: Load,
        records: float,
        put: str,
        store: str,
        plausible: Plausible,
        beside: Profile | None,
    ):
        fit = load_store(store).fit_beside(profile.name)
        law = fit.representative if plausible.law is None else plausible.law
        chosen = slice(law, law + 1)
        self._samples = {name: values[chosen] for name, values in fit.samples.items()}
        self._machine = machine
        self._kept: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        self._populations = 0
        points = [
            StorePoint(each, 1, load.value_bytes, records, 16.0, machine.cores, machine.threads_per_core, 0)
            for each in ("get", put)
        ]
        memory = NodeMemory(profile, machine.modules, load, points, self._samples, plausible.errors)
        self._memories = [memory] * machine.thread_nodes
        if beside is not None:
            other = NodeMemory(beside, usual_dimms(beside), load, points, self._samples, plausible.memory_errors)
            self._memories += [other] * machine.memory_nodes
        self.read_bytes, self.written_bytes = memory.chain.read_bytes, memory.chain.written_bytes
        self._distances = distances(machine.nodes)
        self._chain = self._by_offset([each.chain for each in self._memories])
        self.refill_ns_per_byte = memory.lone_read_ns_per_byte
        alone, *_ = self._memory_ns(no_threads(machine.nodes))
        whole = self._chain.software_ns + self._chain.serial_ns + alone
        self._rounds = ROUNDS if np.min(alone / whole) < MOSTLY_MEMORY else 0
        self.sibling_factor = float(2.0 / (1.0 + self._samples["smt_yield"][0]))

    def __deepcopy__(self, memo: dict) -> StoreCosts:
        return self  # nothing changes it

    def extrapolated(self, counts: np.ndarray) -> bool:
        """Whether threads that run lie outside the measurements of the device; counts of shape (N, H, 2)."""
        return any(memory.extrapolated(inside) for memory, inside in zip(self._memories, counts, strict=True))

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(software, memory) of an operation of each kind in ns; see `Costs.times`."""
        key = counts.tobytes()
        if key not in self._kept:
            self._populations += len(counts)
            while self._kept and self._populations > KEPT:
                self._populations -= len(self._kept.pop(next(iter(self._kept)))[0])
            self._kept[key] = self._times(counts)
        return self._kept[key]

    def _by_offset(self, chains: list[Chain]) -> Chain:
        """Parts of all nodes: of shape (N, H, 2) those by distance, and (N, 2) the others."""
        columns = (np.stack(column) for column in zip(*chains, strict=True))
        return Chain(*(each[:, self._distances] if each.ndim == 3 else each for each in columns))

    def _times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chain, contention = self._chain, self._contention(counts)
        software, serial = chain.software_ns * contention, chain.serial_ns * contention
        memory, share, slower = self._memory_ns(counts)
        for _ in range(self._rounds):
            time = software + memory
            memory, share, slower = self._memory_ns(counts * memory / (time + _serial_wait_ns(serial, time, counts)))
        time, moved = software + memory, (self.read_bytes, self.written_bytes)
        link = link_wait_ns(counts, time, moved, carried_per_ns(self._machine))
        entries = chain.entries_ns[:, None] * share[..., None, None]
        waits, at_serial = self._waits_ns(
            _Elsewhere(counts, time + link, link, (chain.media_ns + entries) * slower, serial)
        )
        return software + at_serial, memory + link + waits

    def _contention(self, counts: np.ndarray) -> np.ndarray:
        """Factor on the software, shape (B, N, H, 1): the clock is that of the thread's own node."""
        where = thread_nodes(self._machine.nodes)
        threads, running = counts.sum(axis=-1), np.zeros(counts.shape[:2])
        for node in range(self._machine.nodes):
            running[:, node] = (threads * (where == node)).sum(axis=(1, 2))
        clock = clock_factor(self._samples, np.maximum(running, 1.0), self._machine.cores)
        lock = lock_factor(self._samples, np.maximum(counts.sum(axis=(1, 2, 3)), 1.0))
        return clock[:, where][..., None] * lock[:, None, None, None]

    def _memory_ns(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time in memory without waits for links and media; the share of lines that change hands at each node; how much
        slower the device is than its profile.

        Args:
            inside: threads that are in an access, shape (B, N, H, 2); so are the time and the factor. The share: shape
                (B, N).
        """
        nodes = [memory.streams_ns(inside[:, node]) for node, memory in enumerate(self._memories)]
        streams, share, slower = (
            np.stack([np.broadcast_to(part, (len(inside), *part.shape[1:])) for part in parts], axis=1)
            for parts in zip(*nodes, strict=True)
        )
        return self._chain.waits_ns + streams[:, :, self._distances], share, slower[:, :, self._distances]

    def _waits_ns(self, elsewhere: _Elsewhere) -> tuple[np.ndarray, np.ndarray]:
        """(Wait for the media of the data's node, time at the serial part) of each kind.

        Each offset waits as if all threads had it, as the times of a byte do; those who wait for a link ask less of the
        others. Dependent accesses queue at media that other threads' lines keep busy. Full media serve no more: all of
        their lines take longer, `load` beyond 1.
        """
        counts, time, link_ns, media_ns, serial_ns = elsewhere
        others = 1.0 - np.eye(counts.shape[2])
        asking = counts + others @ (counts * (1.0 - link_ns / time))
        total = np.maximum(counts.sum(axis=(2, 3), keepdims=True), 1.0)
        low, high = np.zeros((*counts.shape[:3], 1)), np.broadcast_to(1.0 + total, (*counts.shape[:3], 1))

        def waits_at(load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            busy = np.minimum(np.minimum(load, 1.0) * (total - 1.0) / total, UTILISATION_CAP)
            waits = self._chain.queue_ns * 0.5 * busy / (1.0 - busy) + np.maximum(load - 1.0, 0.0) * media_ns
            return waits, _serial_wait_ns(serial_ns, time + waits, counts)

        for _ in range(BISECTIONS):
            load = 0.5 * (low + high)
            waits, at_serial = waits_at(load)
            caused = (asking * media_ns / (time + waits + at_serial)).sum(axis=-1, keepdims=True)
            more = caused > np.minimum(load, 1.0)
            low, high = np.where(more, load, low), np.where(more, high, load)
        return waits_at(high)


def store_costs(
    profile: Profile,
    machine: Machine,
    load: Load,
    records: float = 20_000.0,
    put: str = UPDATE,
    store: str = DEFAULT_STORE,
    plausible: Plausible | None = None,
    beside: Profile | None = None,
) -> StoreCosts:
    """Costs of a load on a machine.

    Args:
        profile: of the nodes with processors, with the effects of several nodes.
        records: that the store holds; so few that they fit into the caches need no memory.
        put: of `PUTS`.
        plausible: another system than the profile's and the store's own.
        beside: of the nodes without processors, as those of the others measure it, for a machine that has such nodes.

    Raises:
        InputError: a profile without the effects of two nodes, or without a store's counts.
    """
    if put not in PUTS:
        raise unknown_name("put", put, PUTS)
    return StoreCosts(profile, machine, load, records, put, store, plausible or Plausible(), beside)


def _serial_wait_ns(serial_ns: np.ndarray, elsewhere_ns: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Time at the part of the software that one thread at a time can do: threads of all nodes come to it."""
    visitors = np.where(serial_ns > 0.0, counts, 0.0).sum(axis=(1, 2, 3), keepdims=True)
    return np.where(serial_ns > 0.0, at_serial_part_ns(serial_ns, elsewhere_ns, np.maximum(visitors, 1.0)), 0.0)
