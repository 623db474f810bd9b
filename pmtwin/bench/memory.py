"""How much memory this process and those that it has started have taken at most, as Linux counts it."""

from __future__ import annotations

import os
from pathlib import Path

PROCESSES = Path("/proc")
KIB_PER_MIB = 1024.0


def peak_mib() -> float:
    """The sum of the peaks of resident memory; pages that several of the processes share are counted in each."""
    return sum(_peak_kib(process) for process in _with_descendants(os.getpid())) / KIB_PER_MIB


def _with_descendants(process: int) -> list[int]:
    """The process and those that it has started and that still run, with theirs."""
    every = [process]
    for place in (PROCESSES / str(process) / "task").glob("*/children"):
        for child in place.read_text().split():
            every += _with_descendants(int(child))
    return every


def _peak_kib(process: int) -> int:
    """0 for a process that has ended."""
    try:
        lines = (PROCESSES / str(process) / "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
