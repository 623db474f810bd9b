"""Standard output for results only: output of a user's code goes to standard error."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

_results: list[tuple[TextIO, int | None]] = []
"""(stream, copy of descriptor 1 or None) of standard output before each active `aside`. The copy exists if the stream
writes to descriptor 1."""


@contextmanager
def aside() -> Iterator[None]:
    """Context manager: output to standard output, by Python, C or child processes, goes to standard error.

    Output within `results` still goes to standard output.
    """
    stream = sys.stdout
    copied = None
    with suppress(OSError, ValueError, AttributeError):  # a stream of a test or a notebook, or none at all
        if stream.fileno() == 1:
            copied = os.dup(1)
    _results.append((stream, copied))
    _turn(sys.stderr, None if copied is None else 2)
    try:
        yield
    finally:
        _turn(stream, copied)
        _results.pop()
        if copied is not None:
            os.close(copied)


@contextmanager
def results() -> Iterator[None]:
    """Context manager: output goes to the command's standard output, also within `aside`."""
    if not _results:
        yield
        return
    current, (stream, copied) = sys.stdout, _results[0]
    _turn(stream, copied)
    try:
        yield
    finally:
        _turn(current, None if copied is None else 2)


def _turn(stream: TextIO, descriptor: int | None) -> None:
    """Make `stream` the standard output and, unless it is None, descriptor 1 a copy of `descriptor`."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    if descriptor is not None:
        ctypes.CDLL(None).fflush(None)  # output of C that is still in its buffer
        with suppress(OSError):  # standard error is closed
            os.dup2(descriptor, 1)
    sys.stdout = stream
