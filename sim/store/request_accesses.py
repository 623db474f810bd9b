"""The form of one request's service demand: work in the store, dependent accesses, bytes to move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Transfer(NamedTuple):
    """Bytes that are moved at the device's bandwidth.

    Fields:
        operation: the instruction, in the names of the device law.
        pieces: their number, real-valued.
        piece_bytes: bytes of each piece, shape (SIZE_BINS,).
        access_bytes: bytes that lie together, shape (SIZE_BINS,): the access size of the device law.
    """

    operation: str
    pieces: float
    piece_bytes: np.ndarray
    access_bytes: np.ndarray


class RequestAccesses(NamedTuple):
    """Service demand of one request, by value size; arrays of shape (SIZE_BINS,).

    Fields:
        software_ns: CPU work in the store with one operation in progress.
        reads, writes: dependent reads, and rounds of flush and fence, that wait for one another.
        transfers: bytes to move, one entry for each instruction and number of pieces.
        extrapolated: whether a value lies outside the counted ones.
        written_lines: media lines written in all; None: one for each of `writes`, and the bytes of `transfers`.
    """

    software_ns: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    transfers: tuple[Transfer, ...]
    extrapolated: bool
    written_lines: np.ndarray | None = None
