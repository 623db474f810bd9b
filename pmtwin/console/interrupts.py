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
"""Seconds after which a signal without effect is sent again."""


UNBROKEN_S = 5.0
"""Longest time in seconds for which a signal is delayed by an import or a call of LLVM.

Some extension modules crash if an exception interrupts their initialisation, and Python itself may turn it into a
`TypeError` about a missing name of a module. LLVM frees objects twice if their transfer is interrupted.
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
    """Context in which Ctrl-C raises `KeyboardInterrupt`, and SIGTERM and SIGHUP raise `Terminated`, in this process.

    Forked worker processes have the default handling. Ignored signals (SIGHUP by nohup) stay ignored. During an import
    or a call of LLVM, and where Python ignores the exception (calls of Python by the compiler, `__del__`), the signal
    is sent again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers; a caller in another thread has its own
        return
    owner = os.getpid()
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    timers: list[threading.Timer] = []

    def send_again(number: int) -> None:
        last.pop(number, None)
        timer = threading.Timer(AFTER_S, os.kill, (owner, number))
        timer.daemon = True
        timer.start()
        timers.append(timer)

    def handle(number: int, frame: FrameType | None) -> None:
        if os.getpid() != owner:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        now, before = time.monotonic(), last.get(number)
        if before is not None and now - before < AGAIN_S:
            return
        if _must_not_break(frame) and now - first.setdefault(number, now) < UNBROKEN_S:
            send_again(number)
            return
        first.pop(number, None)
        last[number] = now
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)

    def resend_ignored(ignored: sys.UnraisableHookArgs) -> None:
        if os.getpid() != owner or not isinstance(ignored.exc_value, KeyboardInterrupt):
            hook(ignored)
            return
        send_again(exit_code(ignored.exc_value) - 128)

    hook, sys.unraisablehook = sys.unraisablehook, resend_ignored
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    handlers = {number: handler for number, handler in handlers.items() if handler is not signal.SIG_IGN}
    for number in handlers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for timer in timers:
            timer.cancel()
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
