"""Limited loads: threads pause between accesses, so that together they request no more than a given bandwidth.

It is a closed loop with think time: if T threads issue C MiB/s without pauses, T Q / C of them are busy when they offer
Q MiB/s. Only the busy threads contend for the media.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.geometry import MIB


def busy_threads(threads: np.ndarray, issue_mib_s: np.ndarray, offered_mib_s: np.ndarray) -> np.ndarray:
    """Mean number of busy threads that issue the offered bandwidth, if all threads issue `issue_mib_s`."""
    return threads * np.minimum(1.0, offered_mib_s / issue_mib_s)


def time_per_access_ns(
    threads: np.ndarray,
    access_size_bytes: np.ndarray,
    bandwidth_mib_s: np.ndarray,
    issue_mib_s: np.ndarray,
    offered_mib_s: np.ndarray | None = None,
) -> np.ndarray:
    """Time in ns that a thread spends on an access, by Little's law: T A / B, less the pause in a limited load.

    Independent accesses overlap, so that it is less than the latency of an access. Benchmarks with a closed loop report
    it.
    """
    pause = 0.0 if offered_mib_s is None else np.maximum(1.0 / offered_mib_s - 1.0 / issue_mib_s, 0.0)
    return threads * access_size_bytes * (1.0 / bandwidth_mib_s - pause) * (1e9 / MIB)
