"""What `pmtwin bench TARGET` measures: a module per target, of the same name, imported when it is asked for.

Each has `measure(request) -> dict`, what its report says beyond the command's own fields, and `show(report)`, which
prints the whole report as text.
"""

from __future__ import annotations

from typing import NamedTuple

SEED = 1


class Request(NamedTuple):
    """What the command was asked for.

    Fields:
        path: directory that the native programs measure in.
        repeats: samples of each contender, rounds, pairs or kills.
        seconds: least duration of a sample.
    """

    path: str
    repeats: int
    seconds: float
