"""Targets of `pmtwin bench TARGET`: a module of the same name for each, imported only when it is run.

Each has `measure(request) -> dict`, which returns the target's fields of the report, and `show(report)`, which prints
the whole report as text.
"""

from __future__ import annotations

from typing import NamedTuple

SEED = 1


class Request(NamedTuple):
    """Arguments of a benchmark.

    Fields:
        path: directory in which the native programs measure.
        repeats: samples of each contender, rounds, pairs or kills.
        seconds: least duration of a sample.
    """

    path: str
    repeats: int
    seconds: float
