"""The command that runs, as it was typed: reports say what made them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_TYPED: ContextVar[str] = ContextVar("typed", default="")


@contextmanager
def running(words: Sequence[str]) -> Iterator[None]:
    """While the command of these words runs."""
    token = _TYPED.set(shlex.join(["pmtwin", *words]))
    try:
        yield
    finally:
        _TYPED.reset(token)


def typed_command() -> str:
    """The command line; empty where Python calls the command."""
    return _TYPED.get()
