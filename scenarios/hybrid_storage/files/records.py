"""What two threads share beside the state of the storage: two files, and the content of their pages.

A page has the same place in each file. Its content has a version, which counts the writes of requests.
"""

from __future__ import annotations

import mmap
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.content import WORDS
from pmtwin.sim.hybrid.stream import PAGE_BYTES

REQUESTS, MOVER = range(2)
"""The threads: one sends requests, the other one moves pages."""

NO_OWNER = -1

DATA, STAGED, MOVED = range(3)
"""Buffers: pages of a request, pages that are evicted before it, and pages that move, each on a row of its own."""

THREAD = np.dtype([
    ("seconds", "i8"), ("nanoseconds", "i8"), ("address", "i8"), ("origin_ns", "i8"), ("reads", "i8"), ("wrong", "i8"),
    ("wrong_page", "i8"), ("wrong_device", "i8"), ("failed", "i8"), ("failed_write", "i8"), ("failed_start", "i8"),
    ("accesses_ns", "f8"), ("waits_ns", "f8"), ("requests_ns", "f8"), ("requests", "i8"), ("rest", "i8"),
])  # fmt: skip
"""A thread: time as the C library writes it, at `address`; begin of the run. Pages read and checked, those with another
content than was written there last, and where the last one was. `failed`: 1 + device of an access that failed. Time in
accesses, of waits for pages that move, and of whole requests."""

SHARED = np.dtype([("mutex", "i8", 8), ("mutex_address", "i8"), ("owner", "i8"), ("stop", "i8")])
"""The lock, the thread that holds it, and whether all end."""

FILE = np.dtype([("handle", "i4"), ("delay_ns", "f8")])
"""A file: its number in the system, and how much slower than it is each access is made."""


class Files(NamedTuple):
    """Files of D devices for P pages.

    Fields:
        thread: shape (2,). shared: shape (1,). file: shape (D,).
        current: shape (P,), uint64: version of each page's content.
        stored: shape (D, P), uint64: version at each place of each file.
        held: shape (P,), bool: pages that are being moved, whose writes wait.
        written: shape (P,), bool: pages that a request is writing or evicting, whose moves wait.
        data, staged, moved: shape (n, `WORDS`), uint64: buffers.
        address: shape (3,), int64: theirs in memory.
    """

    thread: np.ndarray
    shared: np.ndarray
    file: np.ndarray
    current: np.ndarray
    stored: np.ndarray
    held: np.ndarray
    written: np.ndarray
    data: np.ndarray
    staged: np.ndarray
    moved: np.ndarray
    address: np.ndarray


def make_files(handles: list[int], delays_ns: list[float], stored: np.ndarray, rows: int, moving: int) -> Files:
    """The files, for a run or for a measurement.

    Args:
        handles, delays_ns: of each device, the fastest first.
        stored: as of `Files`; kept from run to run.
        rows: pages of the largest request. moving: pages that move at once.
    """
    devices, pages = stored.shape
    thread, shared, file = np.zeros(2, THREAD), np.zeros(1, SHARED), np.zeros(devices, FILE)
    thread["address"] = thread.ctypes.data + np.arange(2) * THREAD.itemsize
    shared["mutex_address"], shared["owner"] = shared.ctypes.data, NO_OWNER
    file["handle"], file["delay_ns"] = handles, delays_ns
    data, staged, moved = (aligned_pages(count) for count in (rows, rows, moving))
    address = np.array([buffer.ctypes.data for buffer in (data, staged, moved)])
    held, written = np.zeros((2, pages), np.bool_)
    return Files(thread, shared, file, stored[-1].copy(), stored, held, written, data, staged, moved, address)


def aligned_pages(count: int) -> np.ndarray:
    """Shape (count, `WORDS`), uint64, at the begin of a page of memory, as direct accesses need."""
    return np.frombuffer(mmap.mmap(-1, max(count, 1) * PAGE_BYTES), np.uint64).reshape(-1, WORDS)
