"""Issue bound: requests of the cores, before the media limit them.

One thread needs `t(A)` for an access of A bytes: for the first cache line, for further lines, which overlap, and for a
drain of the pipeline after an access that is too long for out-of-order execution and the prefetcher to overlap with the
next. Threads that read chunks in lock step also wait for each other: a convoy.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.geometry import INTERLEAVING_CHUNK_BYTES, MIB, cache_lines


def streaming_time_ns(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Time in ns during which one thread's access of `access_size_bytes` has requests under way.

    A random access of exactly two lines takes longer than its lines: the adjacent-line prefetcher fetches them as well.
    """
    lines = cache_lines(access_size_bytes)
    first = np.where(random, parameters["first_line_random_ns"], parameters["first_line_sequential_ns"])
    if parameters["line_pair_ns"]:
        first = first + np.where(random & (lines == 2.0), parameters["line_pair_ns"], 0.0)
    return first + (lines - 1.0) * parameters["further_line_ns"]


def drain_time_ns(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Time in ns during which the pipeline is empty between two accesses of a thread; it sets in at a critical size."""
    if not parameters["drain_ns"]:
        return np.zeros(np.broadcast_shapes(random.shape, access_size_bytes.shape))
    critical = np.where(random, parameters["drain_random_bytes"], parameters["drain_sequential_bytes"])
    return parameters["drain_ns"] / (1.0 + (critical / access_size_bytes) ** parameters["drain_exponent"])


def convoy_time_ns(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray
) -> np.ndarray:
    """Time in ns that a sequential access of about one interleaving chunk waits for threads in lock step.

    With shorter accesses, fewer threads form a convoy, because they meet in one chunk sooner.
    """
    if not parameters["convoy_ns"]:
        return np.zeros(np.broadcast_shapes(random.shape, access_size_bytes.shape, threads.shape))
    ratio = access_size_bytes / INTERLEAVING_CHUNK_BYTES
    hump = 2.0 / (ratio ** -parameters["convoy_sharpness"] + ratio ** parameters["convoy_sharpness"])
    step = (threads / (parameters["convoy_threads"] * ratio**2)) ** 8
    return np.where(random, 0.0, parameters["convoy_ns"] * hump * step / (1.0 + step))


def issue_bound_mib_s(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray
) -> np.ndarray:
    """Bandwidth in MiB/s that `threads` threads could issue: T A / t(A).

    Args:
        parameters: of one operation (`pmtwin.sim.device.parameters`).
        random: True for random, False for sequential accesses.
        access_size_bytes, threads: positive.
    """
    time_ns = (
        streaming_time_ns(parameters, random, access_size_bytes)
        + drain_time_ns(parameters, random, access_size_bytes)
        + convoy_time_ns(parameters, random, access_size_bytes, threads)
    )
    return threads * access_size_bytes / time_ns * (1e9 / MIB)


def streaming_share(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Share of the time during which a thread has requests under way, in (0, 1]; in the rest the pipeline drains."""
    streaming = streaming_time_ns(parameters, random, access_size_bytes)
    return streaming / (streaming + drain_time_ns(parameters, random, access_size_bytes))
