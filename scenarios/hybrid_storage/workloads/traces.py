"""A recorded trace as requests to a hybrid storage."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces import APART, Requests, Trace
from pmtwin.scenarios.block_traces.left_out import left_out_text
from pmtwin.scenarios.hybrid_storage.workloads.drawing import US
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Stream, make_stream


class Recorded(NamedTuple):
    """A trace.

    Fields:
        stream: its requests, of one thread; gaps are those between them in the trace.
        volumes: number of volumes.
        left_out: rows of `LeftOut`: what the trace has besides.
        notes: sentences on what is odd in it.
    """

    stream: Stream
    volumes: int
    left_out: tuple[dict, ...]
    notes: tuple[str, ...]


def recorded(path: str | Path, volumes: str = APART) -> Recorded:
    """Reads a whole trace into memory, 33 bytes a request.

    Volumes that are apart have pages one behind the other. An object counts as a page.

    Args:
        volumes: `apart` or `together`, as of `Trace`.

    Raises:
        InputError: for a trace that cannot be read, has no requests, a time that goes back, or a value out of range.
    """
    trace = Trace(path, volumes, strict=True)
    blocks = [block for block in trace.blocks() if len(block.size)]
    left_out = tuple(trace.left_out.rows.values())
    if not blocks:
        wrong = f"has no requests{f' (left out: {trace.left_out})' if left_out else ''}"
        raise InputError("trace", str(path), "at least one request of a byte or more", wrong=wrong)
    requests = Requests(*(np.concatenate(column) for column in zip(*blocks, strict=True)))
    if trace.by_object:
        number = np.unique(requests.offset, return_inverse=True)[1].astype(np.int64)
        requests = requests._replace(offset=number * PAGE_BYTES, size=np.full(len(number), PAGE_BYTES))
    gap_ns = np.diff(requests.time_us, prepend=requests.time_us[0]) * US
    stream = make_stream(gap_ns, requests.offset + _first_bytes(requests, path), requests.size, requests.write)
    return Recorded(stream, len(trace.volumes), left_out, tuple(_notes(requests, trace.by_object, left_out)))


def _first_bytes(requests: Requests, path: str | Path) -> np.ndarray:
    """Where the pages of each request's volume begin."""
    end = np.zeros(int(requests.volume.max()) + 1)
    np.maximum.at(end, requests.volume, (requests.offset + requests.size).astype(float))
    pages = np.ceil(end / PAGE_BYTES)
    if pages.sum() * PAGE_BYTES > np.iinfo(np.int64).max / 2:
        raise InputError("offset", float(end.max()), "volumes of at most 4 EiB together", str(path))
    return ((np.cumsum(pages) - pages) * PAGE_BYTES).astype(np.int64)[requests.volume]


def _notes(requests: Requests, by_object: bool, left_out: tuple[dict, ...]) -> list[str]:
    notes = [f"left out: {left_out_text(left_out)}"] if left_out else []
    if by_object:
        notes.append(f"objects count as pages of {PAGE_BYTES:,} bytes")
    if len(requests.size) > 1 and requests.time_us[-1] == requests.time_us[0]:
        notes.append("all requests have the same time: gaps are 0")
    if not requests.write.any():
        notes.append("no request writes: placement has nothing to decide")
    return notes
