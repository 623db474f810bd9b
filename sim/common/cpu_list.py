"""Lists of processors on the command line."""

from __future__ import annotations

from pmtwin.sim.errors import InputError

MOST_CPUS = 4096
"""Processor numbers are below this; distributions build Linux for fewer."""


def parse_cpus(option: str, text: str) -> tuple[int, ...]:
    """Numbers of processors from a list in the form of `taskset -c`: numbers and ranges, separated by commas.

    Raises:
        InputError: another form, or a number from `MOST_CPUS` on.
    """
    cpus: list[int] = []
    for part in text.split(","):
        start, dash, stop = part.strip().partition("-")
        ends = (start, stop) if dash else (start, start)
        if not all(end.isascii() and end.isdecimal() and len(end) < 6 for end in ends):
            raise InputError(option, text, "a list of processors such as 0-3,8")
        low, high = map(int, ends)
        if not low <= high < MOST_CPUS:
            raise InputError(option, text, f"ranges with the lower number first, and numbers below {MOST_CPUS}")
        cpus += range(low, high + 1)
    return tuple(cpus)
