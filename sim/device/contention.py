"""Memory-controller contention: too many threads on too few queues make everybody slower (FAST'20, section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.device.geometry import between_one_and_full


def contention_factor(
    parameters: Mapping[str, float], access_size_bytes: np.ndarray, threads: np.ndarray, dimms: np.ndarray
) -> np.ndarray:
    """Share of the media bandwidth left under contention, in (0, 1]: 1 / (1 + b (T/Tc)^g y / (1 + y)), y = (T/Tc)^k.

    A step of depth b at the critical number of threads Tc, then a slow decline; short accesses hold a queue entry for
    less time and meet it later, Tc(A) = Tc (1 + A0 / A).
    """
    critical = between_one_and_full(
        parameters["critical_threads_one_dimm"], parameters["critical_threads_full_set"], dimms
    )
    depth = between_one_and_full(
        parameters["contention_depth_one_dimm"], parameters["contention_depth_full_set"], dimms
    )
    load = threads / (critical * (1.0 + parameters["contention_bytes"] / access_size_bytes))
    y = load ** parameters["contention_exponent"]
    return 1.0 / (1.0 + depth * load ** parameters["contention_slope"] * y / (1.0 + y))
