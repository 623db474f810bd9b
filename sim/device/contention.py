"""Memory-controller contention: too many threads at the controllers' queues slow all down (FAST'20, section 5.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.geometry import between_one_and_full


def contention_loss(
    parameters: Mapping[str, float],
    access_size_bytes: np.ndarray,
    streams: np.ndarray,
    dimms: np.ndarray,
    power: np.ndarray,
) -> np.ndarray:
    """Media time lost to contention over the time used: b l^g y / (1 + y), l = n / nc, y = l^k.

    It is a step of depth b at the critical number of streams nc, followed by slow growth. Short accesses hold a queue
    entry for less time, so that contention sets in later, nc(A) = nc (1 + A0 / A); with slower media it sets in sooner.

    Args:
        streams: mean number of threads with requests under way.
        power: power factor of the media.
    """
    if not parameters["contention_depth_one_dimm"]:
        return np.zeros(np.broadcast_shapes(access_size_bytes.shape, streams.shape, dimms.shape))
    critical = between_one_and_full(
        parameters["critical_threads_one_dimm"], parameters["critical_threads_full_set"], dimms
    )
    depth = between_one_and_full(
        parameters["contention_depth_one_dimm"], parameters["contention_depth_full_set"], dimms
    )
    critical = critical * power ** parameters["contention_power_exponent"]
    load = streams / (critical * (1.0 + parameters["contention_bytes"] / access_size_bytes))
    y = load ** parameters["contention_exponent"]
    return depth * load ** parameters["contention_slope"] * y / (1.0 + y)
