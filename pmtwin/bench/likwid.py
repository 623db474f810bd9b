"""likwid-bench (Debian: likwid), whose streaming loops are written in assembly."""

from __future__ import annotations

import contextlib
import ctypes
import re
import subprocess
from collections.abc import Iterator

from pmtwin.sim.errors import PmtwinError

PROGRAM = "likwid-bench"
VECTORS = {"sse2": "sse", "avx2": "avx", "avx512": "avx512"}
"""Instruction set, as the probe names it -> suffix of likwid's kernels."""

_MEGABYTES = re.compile(r"^MByte/s:\s+([\d.]+)", re.MULTILINE)
_PR_SET_THP_DISABLE = 41
_LIBC = ctypes.CDLL(None)


def run(kernel: str, node: int, megabytes: int, threads: int, rounds: int, huge_pages: bool) -> float:
    """Bandwidth in MB/s (10^6) by likwid-bench for `rounds` over `megabytes` of the node's memory.

    Raises:
        PmtwinError: if likwid-bench failed.
    """
    command = [PROGRAM, "-t", kernel, "-w", f"M{node}:{megabytes}MB:{threads}", "-i", str(rounds)]
    # Its memory has huge pages if the machine gives them to all processes; it must have the page size of the probe.
    with contextlib.nullcontext() if huge_pages else _without_huge_pages():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    match = _MEGABYTES.search(done.stdout)
    if done.returncode != 0 or not match:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise PmtwinError(f"{' '.join(command)} failed: {' '.join(last) or done.returncode}")
    return float(match[1])


@contextlib.contextmanager
def _without_huge_pages() -> Iterator[None]:
    """Context without huge pages for this process and those that it starts, which inherit this (prctl(2))."""
    _LIBC.prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)
    try:
        yield
    finally:
        _LIBC.prctl(_PR_SET_THP_DISABLE, 0, 0, 0, 0)
