"""How a command ends that is told to: Ctrl-C and SIGTERM are exceptions, so that what is done so far is kept."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived."""


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Of a command that was interrupted, as shells count: 130 after Ctrl-C, 143 after SIGTERM."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


@contextmanager
def terminating() -> Iterator[None]:
    """Within it, SIGTERM raises `Terminated` in this process; worker processes that it forks end as without it."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; whoever runs commands in others has his own
        return
    owner = os.getpid()

    def terminated(*_: object) -> None:
        if os.getpid() == owner:
            raise Terminated
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
