"""Threads that simulate at once."""

from __future__ import annotations

import os

MOST_THREADS = 1024


def available_threads() -> int:
    """As many as this process may use processors."""
    return len(os.sched_getaffinity(0))
