"""A block of requests, whatever the format of their trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError

BLOCK_REQUESTS = 1 << 16
"""Requests that are in memory at once."""

MOST_OFFSET, MOST_SIZE = 1 << 62, 1 << 30


class Requests(NamedTuple):
    """Requests in the order of the trace, as arrays of shape (n,).

    Fields:
        time_us: float64, since the beginning; 0 where the trace has no times.
        write: bool; false where the trace does not say.
        offset: int64, in bytes; in a trace of objects the number of the object.
        size: int64, in bytes, 1 or more; in a trace of objects 1.
    """

    time_us: np.ndarray
    write: np.ndarray
    offset: np.ndarray
    size: np.ndarray


def checked(requests: Requests, where: str, first: int, unit: str) -> Requests:
    """The requests themselves.

    Args:
        where: the file. first: number of the block's first line or record. unit: what these are called.

    Raises:
        InputError: naming the first value out of range and its place.
    """
    limits = {"offset": (0, MOST_OFFSET), "size": (1, MOST_SIZE), "time_us": (0.0, np.finfo(float).max)}
    for name, (low, high) in limits.items():
        values = getattr(requests, name)
        wrong = np.flatnonzero(~((values >= low) & (values <= high)))
        if wrong.size:
            place = f"{where}, {unit} {first + int(wrong[0])}"
            raise InputError(name, values[wrong[0]].item(), f"{low:g} to {high:g}", place)
    return requests
