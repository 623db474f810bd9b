"""Threads that simulate at once."""

from __future__ import annotations

import os

MOST_THREADS = 1024


def available_threads() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0))
