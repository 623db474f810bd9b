"""Mixes: some threads read, others write, and the media serve both in turn."""

from __future__ import annotations

import numpy as np


def mixed_bandwidth_mib_s(
    read_threads: np.ndarray, write_threads: np.ndarray, pure_read_mib_s: np.ndarray, pure_write_mib_s: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(read, write) bandwidth in MiB/s when all N = n_r + n_w threads share the media's time equally.

    Each thread gets 1/N of the media's time, during which it moves what the pure workload of all N threads would:
    R n_r / N and W n_w / N. Against FAST'20 figure 6 (16 threads) nothing is fitted.

    Args:
        read_threads, write_threads: not negative, at least one of them positive.
        pure_read_mib_s, pure_write_mib_s: bandwidth if all N threads read, or wrote.
    """
    total = read_threads + write_threads
    return pure_read_mib_s * read_threads / total, pure_write_mib_s * write_threads / total


MIX_LOG_HALF_WIDTH = 0.10
"""Half-width that mixing adds to an interval: the 90th percentile of this rule's error on FAST'20, figure 6."""
