"""Peak memory of this process and its descendants, as Linux counts it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

PROCESSES = Path("/proc")
KIB_PER_MIB = 1024.0
PERIOD_S = 0.5


class PeakMemory:
    """Context manager that measures the peak memory of its block from a thread.

    Memory is the proportional set size, summed over the processes, in which a shared page counts once. It is read every
    `PERIOD_S`, so that shorter peaks may be missed.

    Attributes:
        mib: the largest value.
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
    """Present memory of this process and its descendants."""
    return sum(_kib(process) for process in _with_descendants(os.getpid())) / KIB_PER_MIB


def _with_descendants(process: int) -> list[int]:
    """The process and its running descendants."""
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
    """Memory of a process in KiB; 0 if it has ended."""
    try:
        lines = (PROCESSES / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
