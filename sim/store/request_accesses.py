"""Service demand of one request: work in the store, dependent accesses, bytes to move."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Transfer(NamedTuple):
    """Bytes that are moved at the device's bandwidth.

    Fields:
        operation: the instruction, by its name in the device law.
        pieces: number of pieces, not always whole.
        piece_bytes: bytes of each piece, shape (SIZE_BINS,).
        access_bytes: contiguous bytes, the access size of the device law, shape (SIZE_BINS,).
    """

    operation: str
    pieces: float
    piece_bytes: np.ndarray
    access_bytes: np.ndarray


class RequestAccesses(NamedTuple):
    """Service demand of one request, by value size; arrays of shape (SIZE_BINS,).

    Fields:
        software_ns: processor time in the store, with one operation in progress.
        reads, writes: dependent reads, and rounds of flush and fence, one after the other.
        transfers: bytes to move, one entry for each instruction and number of pieces.
        extrapolated: whether a value size lies outside the counted ones.
        written_lines: total media lines written; None: one for each of `writes`, and those of the `transfers`.
    """

    software_ns: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    transfers: tuple[Transfer, ...]
    extrapolated: bool
    written_lines: np.ndarray | None = None
