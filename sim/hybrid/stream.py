"""Streams of requests to a hybrid storage, in bytes as they are sent, and in pages as it serves them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError

PAGE_BYTES = 4096
MOST_THREADS = 64
MOST_BYTES = 1 << 24
"""Largest request, in bytes."""


class Stream(NamedTuple):
    """Requests of T threads, arrays of shape (n,); those of a thread are in the order in which it sends them.

    Fields:
        gap_ns: float64, 0 or more: time between the thread's previous request and this one. In a closed loop it is
            think time after the answer, in an open system the time since the previous arrival.
        offset: int64, first byte, 0 or more.
        size: int64, bytes, 1 to `MOST_BYTES`.
        write: bool.
        thread: int32, 0 to T - 1; each thread has at least one request.
    """

    gap_ns: np.ndarray
    offset: np.ndarray
    size: np.ndarray
    write: np.ndarray
    thread: np.ndarray

    @property
    def threads(self) -> int:
        """T."""
        return int(self.thread.max()) + 1

    def chosen(self, rows: np.ndarray | slice) -> Stream:
        """The requests of these rows."""
        return Stream(*(column[rows] for column in self))


def make_stream(gap_ns, offset, size, write, thread=0) -> Stream:
    """A stream of checked columns; each may be one number for all requests.

    Raises:
        InputError: without requests; for a negative gap or offset, a size below 1, or a thread without requests.
    """
    columns = np.broadcast_arrays(gap_ns, offset, size, write, thread)
    kinds = (np.float64, np.int64, np.int64, np.bool_, np.int32)
    stream = Stream(*(np.array(column, kind).ravel() for column, kind in zip(columns, kinds, strict=True)))
    if not len(stream.size):
        raise InputError("requests", 0, "one or more")
    for name, low in (("gap_ns", 0.0), ("offset", 0), ("size", 1), ("thread", 0)):
        least = getattr(stream, name).min()
        if not least >= low:
            raise InputError(f"{name} of a request", least.item(), f"{low} or more")
    if stream.size.max() > MOST_BYTES:
        raise InputError("size of a request", int(stream.size.max()), f"1 to {MOST_BYTES:,} bytes")
    if stream.thread.max() >= MOST_THREADS or len(np.unique(stream.thread)) <= stream.thread.max():
        raise InputError("thread of a request", int(stream.thread.max()), f"0 to T - 1, T at most {MOST_THREADS}")
    return stream


def together(streams: list[Stream]) -> Stream:
    """Several streams of one thread or more at once, each with threads and pages of its own."""
    parts, threads, first = [], 0, 0
    for stream in streams:
        parts.append(stream._replace(thread=stream.thread + np.int32(threads), offset=stream.offset + first))
        threads += stream.threads
        first += -(-int((stream.offset + stream.size).max()) // PAGE_BYTES) * PAGE_BYTES
    return Stream(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


class Paged(NamedTuple):
    """A stream with its P different pages numbered from 0, in the order of their offsets.

    Fields:
        stream: the requests.
        first, pages: shape (n,), int64 and int32: first page of each request, and how many; they are consecutive.
        missing_head, missing_tail: shape (n,), int32: bytes of the first and of the last page that the request lacks.
        home: shape (P,), int64: offset of each page, in pages.
    """

    stream: Stream
    first: np.ndarray
    pages: np.ndarray
    missing_head: np.ndarray
    missing_tail: np.ndarray
    home: np.ndarray


def paged(stream: Stream) -> Paged:
    """The requests of a stream in pages of `PAGE_BYTES`."""
    begin, end = stream.offset, stream.offset + stream.size
    first, last = begin // PAGE_BYTES, (end - 1) // PAGE_BYTES
    home = _union(first, last)
    return Paged(
        stream, np.searchsorted(home, first), (last - first + 1).astype(np.int32),
        (begin - first * PAGE_BYTES).astype(np.int32), ((last + 1) * PAGE_BYTES - end).astype(np.int32), home,
    )  # fmt: skip


def _union(first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """All whole numbers in the ranges from `first` to `last`, sorted."""
    order = np.argsort(first, kind="stable")
    first, reach = first[order], np.maximum.accumulate(last[order])
    is_new = np.concatenate([[True], first[1:] > reach[:-1]])
    begins, ends = first[is_new], np.concatenate([reach[np.flatnonzero(is_new)[1:] - 1], reach[-1:]])
    lengths = ends - begins + 1
    return np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
