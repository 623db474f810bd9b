"""Issue bound: what the cores can ask for, before the media limits anything.

One thread needs `t(A)` for an access of A bytes: a first cache line, further lines that overlap, and, once an access
outgrows what out-of-order execution and the prefetcher carry over to the next one, a drain of the pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.device.geometry import MIB, cache_lines


def access_time_ns(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Time in ns that one thread takes for one access of the kernel, other accesses of the same thread overlapping.

    Args:
        parameters: of one operation (`sim.device.law`).
        random: True for random, False for sequential accesses.
        access_size_bytes: positive.
    """
    first = np.where(random, parameters["first_line_random_ns"], parameters["first_line_sequential_ns"])
    drain_size = np.where(random, parameters["drain_random_bytes"], parameters["drain_sequential_bytes"])
    further = (cache_lines(access_size_bytes) - 1.0) * parameters["further_line_ns"]
    drained = 1.0 / (1.0 + (drain_size / access_size_bytes) ** parameters["drain_exponent"])
    return first + further + parameters["drain_ns"] * drained


def issue_bound_mib_s(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray
) -> np.ndarray:
    """Bandwidth in MiB/s that `threads` threads could issue: T A / t(A)."""
    time_ns = access_time_ns(parameters, random, access_size_bytes)
    return threads * access_size_bytes / time_ns * (1e9 / MIB)
