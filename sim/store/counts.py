"""What is counted of one operation of the store at a point, and what is known of the device that it runs on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.sim.access_profile import count_at, has_count, value_bytes_read, written_bytes
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError
from pmtwin.sim.store.device_times import DeviceTimes, device_times

OPERATIONS = ("get", "put_insert", "put_update", "remove")
COUNTED_AS = {"get": "get", "put_insert": "insert", "put_update": "put", "remove": "insert"}
"""Names of the access profile. A remove was not counted: it finds, unlinks and frees what an insert makes."""


class StorePoint(NamedTuple):
    """One operation of a closed loop of threads on one socket.

    Fields:
        operation: of `OPERATIONS`.
        threads: that run operations one after the other.
        value_bytes, key_bytes, records: of the store; keys are drawn uniformly.
        cores, threads_per_core: of the socket.
        gets_per_update: gets of the same key before the put of a put_update, 0 or 1.
    """

    operation: str
    threads: int
    value_bytes: float
    records: float
    key_bytes: float = 16.0
    cores: int = 24
    threads_per_core: int = 2
    gets_per_update: int = 1

    @property
    def gets(self) -> int:
        """Gets that go before the operation itself."""
        return self.gets_per_update if self.operation == "put_update" else 0

    @property
    def active(self) -> int:
        """Threads that run at once."""
        return min(self.threads, self.cores * self.threads_per_core)


class Counts(NamedTuple):
    """Of one operation at a point; numbers.

    Fields:
        point, device: where it runs.
        chain, cold_lines: dependent reads and cold lines of the lookup.
        value_bytes_read: behind the first line.
        rounds: of flush and fence.
        written_lines: of the media.
        written_ns: of one thread, for the bytes that are flushed or streamed beside the rounds.
    """

    point: StorePoint
    device: DeviceTimes
    chain: float
    cold_lines: float
    value_bytes_read: float
    rounds: float
    written_lines: float
    written_ns: float


def counts_of(profile: Profile, point: StorePoint, dimms: float) -> Counts:
    """Counts of a point on the device of a profile.

    Raises:
        InputError: the profile has no counts of this operation, or does not identify a time of the device.
    """
    counted, size, access = COUNTED_AS[point.operation], np.array(float(point.value_bytes)), profile.access_profile
    for name in ("dependent_reads", "cold_lines"):
        if not has_count(access, counted, name):
            allowed = f"one whose access profile has {counted}.{name} (pmtwin probe --kv)"
            raise InputError("profile", profile.name, allowed)
    hardware_threads = point.cores * point.threads_per_core
    device = device_times(profile, point.value_bytes, point.active, dimms, hardware_threads)
    lookup = "get" if point.gets else counted
    rounds = lines = written_ns = 0.0
    if counted != "get":
        rounds, lines = count_at(access, counted, "rounds", size), _written_lines(access, counted, size)
        moved = written_bytes(access, counted, size)
        written_ns = moved.flushed * device.flushed_ns_per_byte + moved.streamed * device.streamed_ns_per_byte
    chain, cold = (float(count_at(access, lookup, name, size)) for name in ("dependent_reads", "cold_lines"))
    read = 0.0 if counted == "insert" else float(value_bytes_read(access, lookup, size))
    return Counts(point, device, chain, cold, read, float(rounds), float(lines), float(written_ns))


def _written_lines(access: Mapping, counted: str, size: np.ndarray) -> float:
    """As counted; of an access profile without that count, the bytes written, each round a line of its own."""
    if has_count(access, counted, "media_line_writes"):
        return count_at(access, counted, "media_line_writes", size)
    moved = written_bytes(access, counted, size)
    return count_at(access, counted, "rounds", size) + (moved.flushed + moved.streamed) / MEDIA_LINE_BYTES
