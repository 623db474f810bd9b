"""Worker processes of Joblib: they end with the process that started them, also where it is killed.

Ctrl-C reaches all processes of a terminal. Workers ignore it: the process that started them hears it, and ends them.
A killed process tells nobody. Its workers would compute what is queued, and then wait for minutes, with nobody to take
what they found.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time

SECONDS = 1.0
"""Between two looks at whether the process that started this one still runs."""

LEAK = "_MAX_MEMORY_LEAK_SIZE"
"""Name of Joblib's limit, in bytes."""


def end_with_parent() -> None:
    """In a worker process, from now on; elsewhere nothing. Whatever a worker runs imports this package first."""
    processes = sys.modules.get("multiprocessing")  # not loaded: no worker
    if processes is not None and processes.current_process().name.startswith("LokyProcess"):
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _keep_with_its_memory()
        threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _keep_with_its_memory() -> None:
    """Joblib takes kept models and compiled code for a leak, and ends the worker with a warning; no option forbids."""
    executor = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(executor, LEAK):
        setattr(executor, LEAK, math.inf)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)  # what is shared with other workers is freed by Joblib's tracker
