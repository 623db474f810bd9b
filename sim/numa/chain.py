"""What an operation of the store is made of: a chain of dependent accesses, streams, the media's time for its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.effects.directory import SHARED_EQUALLY
from pmtwin.sim.device.effects.remote import BOTH
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.device_times import DeviceTimes
from pmtwin.sim.store.law import place
from pmtwin.sim.store.work import Samples, Work, work_of


class Chain(NamedTuple):
    """Parts of a get and a put, in ns and bytes; arrays of shape (2, 2), by distance and operation, or (2,).

    Fields:
        software_ns, waits_ns: of software, and of dependent accesses on an idle device.
        serial_ns: what one thread at a time can do. queue_ns: per unit of the media's queue.
        media_ns: time of the media for all lines.
        entries_ns: shape (2,), time of the media for the directory, if the other node used all lines last.
        value_bytes, flushed, streamed: shape (2,), bytes of a stream: read, and written by either instruction.
        flushed_ns, streamed_ns: shape (2,), time of these in one thread near the data.
        read_bytes, written_bytes: shape (2,), all that the memory moves.
    """

    software_ns: np.ndarray
    waits_ns: np.ndarray
    serial_ns: np.ndarray
    queue_ns: np.ndarray
    media_ns: np.ndarray
    entries_ns: np.ndarray
    value_bytes: np.ndarray
    flushed: np.ndarray
    streamed: np.ndarray
    flushed_ns: np.ndarray
    streamed_ns: np.ndarray
    read_bytes: np.ndarray
    written_bytes: np.ndarray


def chain_of(profile: Profile, points: Sequence[StorePoint], samples: Samples, dimms: float) -> Chain:
    """The chain of a get and a put, for one sample of the store's law.

    Raises:
        InputError: the profile has no counts of the operation, or does not identify a time of the device.
    """
    parts = []
    for point in points:
        placed = place(profile, point._replace(numa=BOTH), dimms)
        devices = placed.device, placed.elsewhere or placed.device
        parts.append(_parts(work_of(placed.counts, samples), devices, point.operation))
    return Chain(*(np.stack(column, axis=-1) for column in zip(*parts, strict=True)))


def _parts(work: Work, devices: tuple[DeviceTimes, DeviceTimes], operation: str) -> Chain:
    """Parts of one operation: numbers, and arrays by distance."""
    work = Work(*(np.asarray(float(np.max(part))) for part in work))  # one sample and one size

    def by_distance(name: str) -> np.ndarray:
        return np.array([getattr(device, name) for device in devices])

    factor, near = by_distance("read_factor" if operation == "get" else "write_factor"), devices[0]
    reads, rounds = (
        work.reads * (by_distance("read_ns") + work.walk_ns),
        work.rounds * (by_distance("write_ns") + work.round_ns),
    )
    read_lines = work.reads + work.value_bytes / MEDIA_LINE_BYTES
    entries = work.reads * near.entry_read_ns + work.value_bytes * near.entry_ns_per_byte
    return Chain(
        software_ns=(work.software_ns - work.serial_ns) * factor,
        waits_ns=reads + rounds,
        serial_ns=work.serial_ns * factor,
        queue_ns=work.reads * by_distance("read_line_ns") + work.rounds * by_distance("write_line_ns"),
        media_ns=read_lines * by_distance("read_media_ns") + work.written_lines * by_distance("write_media_ns"),
        entries_ns=entries / SHARED_EQUALLY,
        value_bytes=work.value_bytes,
        flushed=work.flushed,
        streamed=work.streamed,
        flushed_ns=work.flushed * near.flushed_ns_per_byte,
        streamed_ns=work.streamed * near.streamed_ns_per_byte,
        read_bytes=work.value_bytes + work.reads * CACHE_LINE_BYTES,
        written_bytes=work.flushed + work.streamed + work.rounds * CACHE_LINE_BYTES,
    )
