"""Counts of one operation of the store, from an access profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.access_profile import Written, count_at, has_count, value_bytes_read, written_bytes
from pmtwin.sim.device.effects.remote import BOTH, LOCAL
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError

COUNTED_AS = {"get": "get", "put_insert": "insert", "put_update": "put", "remove": "insert"}
"""Operation -> its name in an access profile. A remove was not counted: it undoes what an insert does."""


class StorePoint(NamedTuple):
    """An operation in a closed loop of threads, on one socket or half on either of two.

    Fields:
        operation: one of `pmtwin.sim.load.workload.OPERATIONS`.
        threads: number of threads, each of which runs one operation after the other.
        value_bytes: size of the values; an array for several sizes.
        records, key_bytes: number of records and size of their keys; keys are drawn uniformly.
        cores, threads_per_core: of the socket.
        gets_per_update: gets of the same key before the put of a put_update.
        numa: node of the threads, as seen from the data: of `pmtwin.sim.device.effects.remote.SHARES`.
    """

    operation: str
    threads: int
    value_bytes: float | np.ndarray
    records: float
    key_bytes: float = 16.0
    cores: int = 24
    threads_per_core: int = 2
    gets_per_update: float = 1
    numa: str = LOCAL

    @property
    def gets(self) -> float:
        """Number of gets before the operation."""
        return self.gets_per_update if self.operation == "put_update" else 0

    @property
    def cores_used(self) -> int:
        """Cores that the threads may run on, of one socket or of two."""
        return 2 * self.cores if self.numa == BOTH else self.cores

    @property
    def active(self) -> int:
        """Number of threads that run at once."""
        return min(self.threads, self.cores_used * self.threads_per_core)


class Counts(NamedTuple):
    """Counts of one operation; arrays of the shape of the point's `value_bytes`.

    Fields:
        point: the operation.
        chain, cold_lines: dependent reads and cold lines of the lookup.
        value_bytes_read: bytes of the value after its first line.
        rounds: rounds of flush and fence.
        written_lines: media lines written.
        flushed, streamed: bytes written outside the rounds, by flushes and by non-temporal stores.
    """

    point: StorePoint
    chain: np.ndarray
    cold_lines: np.ndarray
    value_bytes_read: np.ndarray
    rounds: np.ndarray
    written_lines: np.ndarray
    flushed: np.ndarray
    streamed: np.ndarray


def counts_of(profile: Profile, point: StorePoint) -> Counts:
    """Counts of an operation, from the access profile of a device's file.

    Raises:
        InputError: the access profile has no counts of the operation.
    """
    counted, sizes, access = (
        COUNTED_AS[point.operation],
        np.asarray(point.value_bytes, dtype=float),
        profile.access_profile,
    )
    lacking = [name for name in ("dependent_reads", "cold_lines") if not has_count(access, counted, name)]
    if access is None or lacking:
        allowed = f"one whose access profile has {counted}.{lacking[0]} (pmtwin probe --kv)"
        raise InputError("profile", profile.name, allowed)
    lookup, zeros = "get" if point.gets else counted, np.zeros(sizes.shape)
    rounds, lines, moved = zeros, zeros, Written(zeros, zeros)
    if counted != "get":
        rounds, lines = count_at(access, counted, "rounds", sizes), _written_lines(access, counted, sizes)
        moved = written_bytes(access, counted, sizes)
    chain, cold = (count_at(access, lookup, name, sizes) for name in ("dependent_reads", "cold_lines"))
    value_bytes = zeros if counted == "insert" else value_bytes_read(access, lookup, sizes)
    return Counts(point, chain, cold, value_bytes, rounds, lines, moved.flushed, moved.streamed)


def _written_lines(access: Mapping, counted: str, sizes: np.ndarray) -> np.ndarray:
    """Media lines written: as counted or, without that count, one line per round and the lines of the other bytes."""
    if has_count(access, counted, "media_line_writes"):
        return count_at(access, counted, "media_line_writes", sizes)
    moved = written_bytes(access, counted, sizes)
    return count_at(access, counted, "rounds", sizes) + (moved.flushed + moved.streamed) / MEDIA_LINE_BYTES
