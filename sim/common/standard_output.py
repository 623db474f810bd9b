"""Standard output for results alone: what a user's code prints there goes to standard error."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_results: list[tuple[TextIO, int | None]] = []
"""Standard output before each `aside` that runs: the stream, and a copy of its descriptor where it has that of C."""


@contextmanager
def aside() -> Iterator[None]:
    """Within it, all that is written to standard output goes to standard error: by Python, by C, by processes that it
    starts. What `results` encloses is written to standard output nevertheless."""
    before = sys.stdout
    copied = None
    with suppress(OSError, ValueError, AttributeError):  # a stream of a test or a notebook, or none at all
        if before.fileno() == 1:
            copied = os.dup(1)
    _results.append((before, copied))
    _turn(sys.stderr, None if copied is None else 2)
    try:
        yield
    finally:
        _turn(before, copied)
        _results.pop()
        if copied is not None:
            os.close(copied)


@contextmanager
def results() -> Iterator[None]:
    """Within it, standard output is that of the command, also within `aside`."""
    if not _results:
        yield
        return
    now, (before, copied) = sys.stdout, _results[0]
    _turn(before, copied)
    try:
        yield
    finally:
        _turn(now, None if copied is None else 2)


def _turn(stream: TextIO, descriptor: int | None) -> None:
    """Make a stream standard output, and descriptor 1 a copy of another where one is given."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    if descriptor is not None:
        ctypes.CDLL(None).fflush(None)  # what C has printed before and not yet written
        with suppress(OSError):  # standard error is closed
            os.dup2(descriptor, 1)
    sys.stdout = stream
