"""Lists of processors on the command line."""

from __future__ import annotations

from pmtwin.sim.errors import InputError

MOST_CPUS = 4096
"""Processors that a list may name: more than Linux is built for by distributions."""


def parse_cpus(option: str, text: str) -> tuple[int, ...]:
    """Processors in the form of `taskset -c`: numbers and ranges, separated by commas.

    Raises:
        InputError: for another form, or a number that no Linux has.
    """
    cpus: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last) if dash else (first, first)
        if not all(end.isascii() and end.isdecimal() and len(end) < 6 for end in ends):
            raise InputError(option, text, "processors as 0-3,8")
        low, high = map(int, ends)
        if not low <= high < MOST_CPUS:
            raise InputError(option, text, f"ranges from the lesser number to the greater, below {MOST_CPUS}")
        cpus += range(low, high + 1)
    return tuple(cpus)
