"""The running command as it was typed, for the reports that it writes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_TYPED: ContextVar[str] = ContextVar("typed", default="")


@contextmanager
def running(words: Sequence[str]) -> Iterator[None]:
    """Context in which the command of these words runs."""
    token = _TYPED.set(shlex.join(["pmtwin", *words]))
    try:
        yield
    finally:
        _TYPED.reset(token)


def typed_command() -> str:
    """The command line; empty if Python code called the command."""
    return _TYPED.get()
