"""How a command ends that is told to: Ctrl-C, SIGTERM and SIGHUP are exceptions, so that what is done is kept."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """SIGTERM, or another signal that ends processes, arrived; `number`: of the signal."""

    def __init__(self, number: int = signal.SIGTERM):
        super().__init__()
        self.number = number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Of a command that was interrupted, as shells count: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP."""
    return 128 + (interrupt.number if isinstance(interrupt, Terminated) else signal.SIGINT)


@contextmanager
def terminating() -> Iterator[None]:
    """Within it, SIGTERM and SIGHUP raise `Terminated` in this process; worker processes that it forks end as without
    it. A SIGHUP that is ignored (nohup) stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; whoever runs commands in others has his own
        return
    owner = os.getpid()

    def terminated(number: int, frame: object) -> None:
        if os.getpid() == owner:
            raise Terminated(number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    before = {number: handler for number, handler in before.items() if handler is not signal.SIG_IGN}
    for number in before:
        signal.signal(number, terminated)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
