"""Interruptions of a command: Ctrl-C, SIGTERM and SIGHUP raise exceptions, so that finished work is kept."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """Raised by SIGTERM or another signal that ends processes; `number`: number of the signal."""

    def __init__(self, number: int = signal.SIGTERM):
        super().__init__()
        self.number = number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Exit code of an interrupted command, as in shells: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + (interrupt.number if isinstance(interrupt, Terminated) else signal.SIGINT)


AGAIN_S = 1.0
"""Seconds within which a repeated signal is ignored: `timeout` sends it to a process and then to its group, and a
second exception would interrupt the handling of the first."""


AFTER_S = 0.05
"""When a signal comes again that nobody heard."""


UNBROKEN_S = 5.0
"""How long at most a signal waits for the end of an import or of a call of LLVM.

Some extension modules crash where an exception breaks off their start, and Python itself turns it into a `TypeError`
where a name is missing in a module. LLVM frees twice what was about to change hands.
"""


def _must_not_break(frame: FrameType | None) -> bool:
    while frame is not None:
        file = frame.f_code.co_filename
        if file == "<frozen importlib._bootstrap>" or f"{os.sep}llvmlite{os.sep}" in file:
            return True
        frame = frame.f_back
    return False


@contextmanager
def terminating() -> Iterator[None]:
    """Within it, Ctrl-C raises `KeyboardInterrupt`, SIGTERM and SIGHUP raise `Terminated` in this process; worker
    processes that it forks end as without it. A signal that is ignored (SIGHUP by nohup) stays so. Where Python has to
    ignore the exception (the compiler's calls of Python, `__del__`), during an import and during a call of LLVM, the
    signal comes again."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; whoever runs commands in others has his own
        return
    owner = os.getpid()
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    timers: list[threading.Timer] = []

    def again(number: int) -> None:
        last.pop(number, None)
        timer = threading.Timer(AFTER_S, os.kill, (owner, number))
        timer.daemon = True
        timer.start()
        timers.append(timer)

    def ended(number: int, frame: FrameType | None) -> None:
        if os.getpid() != owner:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        now, before = time.monotonic(), last.get(number)
        if before is not None and now - before < AGAIN_S:
            return
        if _must_not_break(frame) and now - first.setdefault(number, now) < UNBROKEN_S:
            again(number)
            return
        first.pop(number, None)
        last[number] = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    def unheard(ignored: sys.UnraisableHookArgs) -> None:
        if os.getpid() != owner or not isinstance(ignored.exc_value, KeyboardInterrupt):
            hook(ignored)
            return
        again(exit_code(ignored.exc_value) - 128)

    hook, sys.unraisablehook = sys.unraisablehook, unheard
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    handlers = {number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN}
    for number in handlers:
        signal.signal(number, ended)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
