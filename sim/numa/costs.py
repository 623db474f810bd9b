"""What an operation of the store costs on the machine: the store's law beside the times of a node's memory.

    software = f (s - p) c + serial part          s, p: software, and of it what one thread at a time can do
    memory   = reads (L + walk) + rounds (P + r) + bytes x time of a byte + waits for the link and the media

f, L and P are the law's, near the data and far from them; c is the contention of all threads that run. One thread takes
as long as `pmtwin.sim.store.law` says, and so do several in software and dependent accesses. The time of a streamed
byte is the device's with all threads that are in an access, where the law has that of one thread until the media are
full: a read, a flush and a non-temporal store each have their own.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.latency import UTILISATION_CAP
from pmtwin.sim.device.payloads import PATTERN
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.shared_node import READ, WRITE, NodeAccesses, NodeErrors, node_times
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.numa.chain import chain_of
from pmtwin.sim.numa.links import carried_per_ns, link_wait_ns
from pmtwin.sim.numa.load import FAR, NEAR, PUT, Load
from pmtwin.sim.numa.machine import Machine
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.device_times import PERSIST
from pmtwin.sim.store.file import DEFAULT_STORE, load_store
from pmtwin.sim.store.law import at_serial_part_ns, clock_factor, lock_factor

UPDATE, INSERT = "put_update", "put_insert"
PUTS = (UPDATE, INSERT)
"""What a put is to the store: the value of a key that is there changes, its old bytes in a log, or the key is new."""

STREAM = "ntstore"
"""The instruction of bytes that no flush writes."""

BISECTIONS = 30
ROUNDS = 2
KEPT = 1 << 16
"""Populations whose times are kept, in 12 MB for two nodes: every run of a load meets the same ones."""

MOSTLY_MEMORY = 0.95
"""Share of the time of one thread's operations above which threads count as always in an access."""


class _Elsewhere(NamedTuple):
    """What an operation takes before it waits for the media and the serial part; shape (B, N, 2, 2) each.

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
    """

    law: int | None = None
    errors: NodeErrors | None = None


class StoreCosts:
    """Costs of a load on a machine; see `pmtwin.sim.numa.speed_rows.Costs`."""

    def __init__(
        self, profile: Profile, machine: Machine, load: Load, records: float, put: str, store: str, plausible: Plausible
    ):
        fit = load_store(store).fit_beside(profile.name)
        law = fit.representative if plausible.law is None else plausible.law
        chosen, self._errors = slice(law, law + 1), plausible.errors
        self._samples = {name: values[chosen] for name, values in fit.samples.items()}
        self._profile, self._machine = profile, machine
        self._kept: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
        self._populations = 0
        points = [
            StorePoint(each, 1, load.value_bytes, records, 16.0, machine.cores, machine.threads_per_core, 0)
            for each in ("get", put)
        ]
        chain = self._chain = chain_of(profile, points, self._samples, float(machine.modules))
        self.read_bytes, self.written_bytes = chain.read_bytes, chain.written_bytes
        spent = np.array([chain.flushed_ns[PUT], chain.streamed_ns[PUT]])
        self._written = [
            (NodeAccesses(load.value_bytes, load.value_bytes, instruction, pattern), size, share)
            for instruction, pattern, size, share in zip(
                (PERSIST, STREAM),
                (PATTERN, load.pattern),  # flushed lines lie apart, as in the store's law
                (chain.flushed, chain.streamed),
                spent / spent.sum(),
                strict=True,
            )
            if share > 0.0
        ]
        none = np.zeros((1, machine.nodes, 2, 2))
        alone = node_times(profile, self._written[0][0], none[:, 0], dimms=machine.modules)
        self.refill_ns_per_byte = alone.ns_per_byte[0, :, READ]
        memory, *_ = self._memory_ns(none)
        self._rounds = ROUNDS if np.min(memory / (chain.software_ns + chain.serial_ns + memory)) < MOSTLY_MEMORY else 0
        self.sibling_factor = float(2.0 / (1.0 + self._samples["smt_yield"][0]))

    def __deepcopy__(self, memo: dict) -> StoreCosts:
        return self  # nothing changes it

    def extrapolated(self, counts: np.ndarray) -> bool:
        """Whether threads that run lie outside the measurements of the device; counts of shape (N, 2, 2)."""
        used = [counts[node][None] for node in range(len(counts)) if counts[node].any()]
        times = (
            node_times(self._profile, accesses, inside, dimms=self._machine.modules)
            for inside in used
            for accesses, _, _ in self._written
        )
        return any(each.extrapolated.any() for each in times)

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(software, memory) of an operation of each kind in ns; see `Costs.times`."""
        key = counts.tobytes()
        if key not in self._kept:
            self._populations += len(counts)
            while self._kept and self._populations > KEPT:
                self._populations -= len(self._kept.pop(next(iter(self._kept)))[0])
            self._kept[key] = self._times(counts)
        return self._kept[key]

    def _times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        chain, contention = self._chain, self._contention(counts)
        software, serial = chain.software_ns * contention, chain.serial_ns * contention
        memory, share, slower = self._memory_ns(counts)
        for _ in range(self._rounds):
            time = software + memory
            memory, share, slower = self._memory_ns(counts * memory / (time + _serial_wait_ns(serial, time, counts)))
        time, moved = software + memory, (self.read_bytes, self.written_bytes)
        link = link_wait_ns(counts, time, moved, carried_per_ns(self._machine))
        media = (chain.media_ns + chain.entries_ns * share[..., None, None]) * slower
        waits, at_serial = self._waits_ns(_Elsewhere(counts, time + link, link, media, serial))
        return software + at_serial, memory + link + waits

    def _contention(self, counts: np.ndarray) -> np.ndarray:
        """Factor on the software by distance, shape (B, N, 2, 1): the clock is that of the thread's own node.

        With more than two nodes, the threads far from a node's data count as spread evenly over the other nodes.
        """
        near, far = counts[:, :, NEAR].sum(axis=-1), counts[:, :, FAR].sum(axis=-1)
        others, cores = max(self._machine.nodes - 1, 1), self._machine.cores
        running = near + (far.sum(axis=1, keepdims=True) - far) / others
        clock = clock_factor(self._samples, np.maximum(running, 1.0), cores)
        beyond = (clock.sum(axis=1, keepdims=True) - clock) / others if self._machine.nodes > 1 else clock
        lock = lock_factor(self._samples, np.maximum(counts.sum(axis=(1, 2, 3)), 1.0))
        return np.stack([clock, beyond], axis=-1)[..., None] * lock[:, None, None, None]

    def _memory_ns(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time in memory without waits for links and media; the share of lines that change hands at each node; how much
        slower the device is than its profile.

        Args:
            inside: threads that are in an access, shape (B, N, 2, 2); so are the time and the factor. The share: shape
                (B, N).
        """
        by_node = inside.swapaxes(0, 1)
        nodes = [self._streams_ns(each) if each.any() else self._unaccessed_ns for each in by_node]
        streams, share, slower = (
            np.stack([np.broadcast_to(part, (len(inside), *part.shape[1:])) for part in parts], axis=1)
            for parts in zip(*nodes, strict=True)
        )
        return self._chain.waits_ns + streams, share, slower

    @cached_property
    def _unaccessed_ns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`_streams_ns` of a node that nobody accesses, the same in all populations."""
        return self._streams_ns(np.zeros((1, FAR + 1, PUT + 1)))

    def _streams_ns(self, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time of all streamed bytes, shape (B, 2, 2), the share of lines that change hands, shape (B,), and how much
        slower the device is than its profile, shape (B, 2, 2), of a node.

        Reads wait beside either instruction by the time that a put spends in it.
        """
        rows, both = len(inside), np.concatenate([inside, _one_put_reads(inside)])
        streams, met, slower = np.zeros(inside.shape), np.zeros(rows), np.ones(inside.shape)
        for accesses, written, share in self._written:
            times = node_times(self._profile, accesses, both, dimms=self._machine.modules)
            factors = np.ones(both.shape) if self._errors is None else times.factors(self._errors)
            ns_per_byte = factors * times.ns_per_byte
            read = np.stack([ns_per_byte[:rows, :, READ], ns_per_byte[rows:, :, READ]], axis=-1)
            streams += share * read * self._chain.value_bytes + ns_per_byte[:rows, :, WRITE, None] * written
            met += share * times.directory_share[:rows]
            slower += share * (factors[:rows] - 1.0)
        return streams, met, slower

    def _waits_ns(self, elsewhere: _Elsewhere) -> tuple[np.ndarray, np.ndarray]:
        """(Wait for the media of the data's node, time at the serial part) of each kind.

        Each distance waits as if all threads were as far, as the times of a byte do; those who wait for the link ask
        less of the others. Dependent accesses queue at media that other threads' lines keep busy. Full media serve no
        more: all of their lines take longer, `load` beyond 1.
        """
        counts, time, link_ns, media_ns, serial_ns = elsewhere
        asking = counts + (counts * (1.0 - link_ns / time))[:, :, ::-1]
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
) -> StoreCosts:
    """Costs of a load on a machine.

    Args:
        records: that the store holds; so few that they fit into the caches need no memory.
        put: of `PUTS`.
        plausible: another system than the profile's and the store's own.

    Raises:
        InputError: a profile without the effects of two nodes, or without a store's counts.
    """
    if put not in PUTS:
        raise unknown_name("put", put, PUTS)
    return StoreCosts(profile, machine, load, records, put, store, plausible or Plausible())


def _serial_wait_ns(serial_ns: np.ndarray, elsewhere_ns: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Time at the part of the software that one thread at a time can do: threads of all nodes come to it."""
    visitors = np.where(serial_ns > 0.0, counts, 0.0).sum(axis=(1, 2, 3), keepdims=True)
    return np.where(serial_ns > 0.0, at_serial_part_ns(serial_ns, elsewhere_ns, np.maximum(visitors, 1.0)), 0.0)


def _one_put_reads(inside: np.ndarray) -> np.ndarray:
    """The threads in an access as a put sees them that reads: it is no writer then."""
    reads = inside[..., PUT] / np.maximum(inside[..., PUT].sum(axis=-1, keepdims=True), 1.0)
    return inside + np.stack([reads, -reads], axis=-1)
