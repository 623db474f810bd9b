"""The form of what one request asks for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Transfer(NamedTuple):
    """Bytes that are moved at the device's bandwidth.

    Fields:
        operation: the instruction, in the names of the device law.
        count: how many pieces, a number.
        piece_bytes: of each of them, shape (SIZE_BINS,).
        access_bytes: what lies together, shape (SIZE_BINS,): the access size of the device law.
    """

    operation: str
    count: float
    piece_bytes: np.ndarray
    access_bytes: np.ndarray


class Accesses(NamedTuple):
    """What one request asks for, by value size; arrays of shape (SIZE_BINS,).

    Fields:
        software_ns: CPU work in the store with one operation in progress.
        reads, writes: dependent reads, and rounds of flush and fence, that wait for one another.
        transfers: of at most one piece of each instruction and number of pieces.
        extrapolated: some value lies outside those that were counted.
        written_lines: of the media, all together; None: one for each of `writes`, and the bytes of `transfers`.
    """

    software_ns: np.ndarray
    reads: np.ndarray
    writes: np.ndarray
    transfers: tuple[Transfer, ...]
    extrapolated: bool
    written_lines: np.ndarray | None = None
