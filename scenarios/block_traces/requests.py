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


class LeftOut:
    """What a pass over a trace did not use: for each reason the count, and where the first is."""

    def __init__(self):
        self.rows: dict[str, dict] = {}

    def add(self, reason: str, count: int, first: str) -> None:
        """Adds `count` requests; `first`: the place of the first of these."""
        if count:
            self.rows.setdefault(reason, {"reason": reason, "count": 0, "first": first})["count"] += count


def checked(requests: Requests, where: str, unit: str, numbers: np.ndarray, left_out: LeftOut) -> Requests:
    """The requests that touch anything: those of no bytes, as flushes are written, are left out and counted.

    Args:
        where: the file. unit: what a request is in it: a line or a record. numbers: of these, shape (n,).

    Raises:
        InputError: naming the first value out of range and its place.
    """
    empty = requests.size == 0
    if empty.any():
        left_out.add("size 0", int(empty.sum()), f"{unit} {numbers[np.argmax(empty)]}")
        requests, numbers = requests.chosen(~empty), numbers[~empty]
    limits = {"offset": (0, MOST_OFFSET), "size": (1, MOST_SIZE), "time_us": (0.0, np.finfo(float).max)}
    for name, (low, high) in limits.items():
        values = getattr(requests, name)
        wrong = np.flatnonzero(~((values >= low) & (values <= high)))
        if wrong.size:
            place = f"{where}, {unit} {numbers[wrong[0]]}"
            raise InputError(name, values[wrong[0]].item(), f"{low:g} to {high:g}", place)
    return requests
