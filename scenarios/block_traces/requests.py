"""Blocks of requests, independent of the format of the trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.block_traces.left_out import NO_SIZE, LeftOut
from pmtwin.sim.errors import InputError

BLOCK_REQUESTS = 1 << 16
"""Largest number of requests in a block, and so in memory."""

MOST_OFFSET, MOST_SIZE = 1 << 62, 1 << 30


class Requests(NamedTuple):
    """Requests in the order of the trace, as arrays of shape (n,).

    Fields:
        time_us: float64, in microseconds; 0 in a trace without times.
        write: bool; false in a trace without operations.
        offset: int64, in bytes; in a trace of objects the number of the object.
        size: int64, in bytes, 1 or more; in a trace of objects 1.
        volume: int64, number of the volume; 0 if there is only one.
    """

    time_us: np.ndarray
    write: np.ndarray
    offset: np.ndarray
    size: np.ndarray
    volume: np.ndarray

    def chosen(self, rows: np.ndarray | slice) -> Requests:
        """The requests of these rows."""
        return Requests(*(column[rows] for column in self))


def checked(requests: Requests, where: str, unit: str, numbers: np.ndarray, left_out: LeftOut) -> Requests:
    """The requests without those of size 0 (flushes) and those with a value out of range, which are counted.

    Raises:
        InputError: for such a value, or a time that goes back, if `left_out` is strict.

    Args:
        where: path of the file, for errors.
        unit: noun for a request in the file: `line` or `record`.
        numbers: number of each request's line or record, shape (n,).
        left_out: counts of requests that are not used; changed.
    """
    empty = requests.size == 0
    if empty.any():
        left_out.add(NO_SIZE, int(empty.sum()), f"{unit} {numbers[np.argmax(empty)]}")
        requests, numbers = requests.chosen(~empty), numbers[~empty]
    limits = {"offset": (0, MOST_OFFSET), "size": (1, MOST_SIZE), "time_us": (0.0, np.finfo(float).max)}
    for name, (low, high) in limits.items():
        values = getattr(requests, name)
        is_valid = (values >= low) & (values <= high)
        if not is_valid.all():
            first = np.argmin(is_valid)
            place = f"{unit} {numbers[first]}"
            fault = InputError(name, values[first].item(), f"{low:g} to {high:g}", f"{where}, {place}")
            left_out.add_unreadable(fault, place, int((~is_valid).sum()))
            requests, numbers = requests.chosen(is_valid), numbers[is_valid]
    left_out.follow(requests.time_us, unit, numbers, where)
    return requests
