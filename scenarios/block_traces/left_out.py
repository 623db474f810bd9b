"""What a pass over a trace did not use: counted with its reason and its first place, and refused where it is much."""

from __future__ import annotations

from collections.abc import Iterable

from pmtwin.sim.common.number_forms import percent
from pmtwin.sim.errors import InputError

MOST_UNREADABLE = 0.01
"""Share of the lines that may be unreadable, as after a disk that failed; where more are, it is foreign content."""

UNREADABLE, NO_SIZE, HEADER_AGAIN = "cannot be read", "size 0", "header again"


class LeftOut:
    """Lines that were not used, by reason: `UNREADABLE`, `NO_SIZE` or `HEADER_AGAIN`.

    Attributes:
        rows: reason -> the reason, the count, and where the first is.
    """

    def __init__(self) -> None:
        self.rows: dict[str, dict] = {}
        self._fault: InputError | None = None

    def add(self, reason: str, count: int, first: str) -> None:
        """Adds `count` lines; `first`: the place of the first of these."""
        if count:
            self.rows.setdefault(reason, {"reason": reason, "count": 0, "first": first})["count"] += count

    def add_unreadable(self, fault: InputError, first: str, count: int = 1) -> None:
        """Adds lines that cannot be read; `fault`: what is wrong with the first of these, with its place."""
        self._fault = self._fault or fault
        self.add(UNREADABLE, count, f"{first} ({fault.field})")

    def check(self, lines: int) -> None:
        """Raise the first fault if more than `MOST_UNREADABLE` of so many lines cannot be read."""
        count = self.rows.get(UNREADABLE, {"count": 0})["count"]
        if self._fault is None or count <= MOST_UNREADABLE * lines:
            return
        fault = self._fault
        if lines > 1 / MOST_UNREADABLE:
            most = f"{fault.allowed}; at most {percent(MOST_UNREADABLE)} of the lines may be others, here {count:,} of "
            fault = type(fault)(fault.field, fault.value, f"{most}{lines:,} are", fault.where, fault.wrong)
        raise fault

    def __str__(self) -> str:
        """In words; empty for nothing."""
        return told(self.rows.values())


def told(rows: Iterable[dict]) -> str:
    """Rows of `LeftOut` in words, such as `3 of size 0, first line 2`; empty for none."""
    return "; ".join(f"{row['count']:,} {_WORDS[row['reason']]}, first {row['first']}" for row in rows)


_WORDS = {UNREADABLE: "that cannot be read", NO_SIZE: "of size 0", HEADER_AGAIN: "with the header again"}
