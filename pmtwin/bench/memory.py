"""How much memory this process and those that it has started take at most, as Linux counts it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

PROCESSES = Path("/proc")
KIB_PER_MIB = 1024.0
PERIOD_S = 0.5


class PeakMemory:
    """A context that watches memory from a thread while the block runs.

    Memory is the proportional set size, summed over the processes: a page that several of them share is counted once.
    It is read every `PERIOD_S`, so that a shorter peak is missed.

    Attributes:
        mib: the most that was seen.
    """

    def __init__(self):
        self.mib = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *error) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            self.mib = max(self.mib, present_mib())
            if self._ended.wait(PERIOD_S):
                break
        self.mib = max(self.mib, present_mib())


def present_mib() -> float:
    """Memory now of this process and those that it has started."""
    return sum(_kib(process) for process in _with_descendants(os.getpid())) / KIB_PER_MIB


def _with_descendants(process: int) -> list[int]:
    """The process and those that it has started and that still run, with theirs."""
    every = [process]
    for place in (PROCESSES / str(process) / "task").glob("*/children"):
        try:
            children = place.read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in children:
            every += _with_descendants(int(child))
    return every


def _kib(process: int) -> int:
    """0 for a process that has ended."""
    try:
        lines = (PROCESSES / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
