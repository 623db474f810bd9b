"""Worker processes of Joblib, which end with their parent process, also when that is killed.

Ctrl-C reaches all processes of a terminal. Workers ignore it; the parent process handles it and ends them. The workers
of a killed parent would otherwise compute all queued tasks and then wait for minutes.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import threading
import time

SECONDS = 1.0
"""Seconds between two checks of whether the parent process is still running."""

LEAK = "_MAX_MEMORY_LEAK_SIZE"
"""Name of Joblib's memory limit, in bytes."""


def end_with_parent() -> None:
    """Make a worker process end with its parent; does nothing in other processes.

    It is called when this package is imported, which is the first import of every task of a worker.
    """
    processes = sys.modules.get("multiprocessing")  # not loaded: no worker
    if processes is not None and processes.current_process().name.startswith("LokyProcess"):
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        _keep_with_its_memory()
        threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _keep_with_its_memory() -> None:
    """Raise Joblib's memory limit, above which it takes cached models and code for a leak and ends the worker."""
    executor = sys.modules.get("joblib.externals.loky.process_executor")
    if hasattr(executor, LEAK):
        setattr(executor, LEAK, math.inf)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)  # what is shared with other workers is freed by Joblib's tracker
