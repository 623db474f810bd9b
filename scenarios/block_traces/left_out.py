"""Lines of a trace that are not used: counted by reason, with their first place, and refused if there are many."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.errors import InputError

MOST_UNREADABLE = 0.01
"""Largest share of unreadable lines, as after a disk error; with more, the file is taken for another format."""

UNREADABLE, NO_SIZE, HEADER_AGAIN = "cannot be read", "size 0", "header again"
OTHER = "no read or write"


class LeftOut:
    """Counts of lines that were not used, by reason: `UNREADABLE`, `NO_SIZE`, `HEADER_AGAIN` or `OTHER`.

    Args:
        strict: whether a value out of range, or a time that goes back, is an error. Lines that cannot be read are
            counted in any case.

    Attributes:
        rows: reason -> row with `reason`, `count` and `first` (place of the first line).
    """

    def __init__(self, strict: bool = False) -> None:
        self.rows: dict[str, dict] = {}
        self._strict, self._last_us = strict, -math.inf
        self._fault: InputError | None = None

    def add(self, reason: str, count: int, first: str) -> None:
        """Count `count` lines; first: place of the first of them."""
        if count:
            self.rows.setdefault(reason, {"reason": reason, "count": 0, "first": first})["count"] += count

    def add_unreadable(self, fault: InputError, first: str, count: int = 1) -> None:
        """Count unreadable lines; fault: error about the first of them, with its place."""
        if self._strict and fault.field != "line":
            raise fault
        self._fault = self._fault or fault
        self.add(UNREADABLE, count, f"{first} ({fault.field})")

    def follow(self, time_us: np.ndarray, unit: str, numbers: np.ndarray, where: str) -> None:
        """Refuse a time that goes back, if strict; `numbers` of the lines or records, named by `unit`."""
        if not self._strict or not len(time_us):
            return
        steps = np.diff(time_us, prepend=self._last_us)
        if (steps < 0.0).any():
            first = int(np.argmax(steps < 0.0))
            allowed = "the time of the request before, or later; sort the trace by time"
            place = f"{where}, {unit} {numbers[first]}"
            raise InputError("time_us", float(time_us[first]), allowed, place, wrong="goes back")
        self._last_us = time_us[-1]

    def check(self, lines: int) -> None:
        """Raise the first fault if the share of unreadable lines, among `lines`, is above `MOST_UNREADABLE`."""
        count = self.rows.get(UNREADABLE, {"count": 0})["count"]
        if self._fault is None or count <= MOST_UNREADABLE * lines:
            return
        fault = self._fault
        if lines > 1 / MOST_UNREADABLE:
            most = f"{fault.allowed}; at most {percent(MOST_UNREADABLE)} of the lines may be others, here {count:,} of "
            fault = type(fault)(fault.field, fault.value, f"{most}{lines:,} are", fault.where, fault.wrong)
        raise fault

    def __str__(self) -> str:
        """The counts as text; empty if all lines were used."""
        return left_out_text(self.rows.values())


def left_out_text(rows: Iterable[dict]) -> str:
    """Rows of `LeftOut` as text, such as `3 of size 0, first line 2`; empty for no rows."""
    return "; ".join(f"{row['count']:,} {_WORDS[row['reason']]}, first {row['first']}" for row in rows)


_WORDS = {
    UNREADABLE: "that cannot be read",
    NO_SIZE: "of size 0",
    HEADER_AGAIN: "with the header again",
    OTHER: "that are no reads or writes",
}
