"""A block of requests, whatever the format of their trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces.left_out import NO_SIZE, LeftOut
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
        volume: int64, the number of the volume that the offset is of; 0 where all requests are of one.
    """

    time_us: np.ndarray
    write: np.ndarray
    offset: np.ndarray
    size: np.ndarray
    volume: np.ndarray

    def chosen(self, rows: np.ndarray | slice) -> Requests:
        """Some of the requests."""
        return Requests(*(column[rows] for column in self))


def checked(requests: Requests, where: str, unit: str, numbers: np.ndarray, left_out: LeftOut) -> Requests:
    """The requests that touch anything: those of no bytes, as flushes are written, and those with a value out of range
    are left out and counted.

    Args:
        where: the file. unit: what a request is in it: a line or a record. numbers: of these, shape (n,).
    """
    empty = requests.size == 0
    if empty.any():
        left_out.add(NO_SIZE, int(empty.sum()), f"{unit} {numbers[np.argmax(empty)]}")
        requests, numbers = requests.chosen(~empty), numbers[~empty]
    limits = {"offset": (0, MOST_OFFSET), "size": (1, MOST_SIZE), "time_us": (0.0, np.finfo(float).max)}
    for name, (low, high) in limits.items():
        values = getattr(requests, name)
        right = (values >= low) & (values <= high)
        if not right.all():
            first = np.argmin(right)
            place = f"{unit} {numbers[first]}"
            fault = InputError(name, values[first].item(), f"{low:g} to {high:g}", f"{where}, {place}")
            left_out.add_unreadable(fault, place, int((~right).sum()))
            requests, numbers = requests.chosen(right), numbers[right]
    return requests
