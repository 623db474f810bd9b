"""90 % intervals of times, from the interval of the bandwidth and the stated error of latencies.

The ends are the times of devices that are slower or faster by the factors at the ends of the bandwidth's interval.
Latencies of single accesses have a further error, which the profile states (`intervals.latency`); if it does not, and
the latency determines the time, there is no interval.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.access_effects import having
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.latency import probe_latency_ns
from pmtwin.sim.device.offered import time_per_access_ns
from pmtwin.sim.device.profile import Profile

ENDS = (-1.0, 1.0)
"""Ends of an interval of time: below (a faster device) and above."""


def time_bounds_ns(
    threads: np.ndarray,
    access_size_bytes: np.ndarray,
    reachable_mib_s: np.ndarray,
    issue_mib_s: np.ndarray,
    offered_mib_s: np.ndarray | None,
    log_half_width: np.ndarray,
) -> np.ndarray:
    """Ends in ns of the time per access (`pmtwin.sim.device.offered.time_per_access_ns`), shape (2, m)."""
    bounds = []
    for end in ENDS:
        factor = np.exp(-end * log_half_width)
        reached = reachable_mib_s * factor
        bandwidth = reached if offered_mib_s is None else np.minimum(reached, offered_mib_s)
        bounds.append(time_per_access_ns(threads, access_size_bytes, bandwidth, issue_mib_s * factor, offered_mib_s))
    return np.array(bounds)


def probe_bounds_ns(
    profile: Profile,
    operation: str,
    pattern: str,
    points: AccessPoints,
    bandwidth_mib_s: np.ndarray,
    media_mib_s: np.ndarray | float,
    log_half_width: np.ndarray,
) -> np.ndarray:
    """Ends in ns of the latency of one dependent access, shape (2, m); NaN if its error is not known.

    Args:
        bandwidth_mib_s: bandwidth of the other accesses. A limited load keeps it on a slower or faster device, so that
            the utilisation changes; an unlimited one changes with the media, and the utilisation stays.
    """
    stated = (profile.intervals or {}).get("latency", {}).get(operation, {}).get(pattern)
    error = np.full(bandwidth_mib_s.shape, np.nan if stated is None else stated)
    error = np.where(having(points, "own_latency"), np.nan, error)  # the stated error is that of plain accesses
    bounds = []
    for end in ENDS:
        slower = np.where(points.limited, np.exp(end * log_half_width), 1.0)
        utilisation = slower * bandwidth_mib_s / media_mib_s
        bounds.append(probe_latency_ns(profile, operation, pattern, points, utilisation) * np.exp(end * error))
    return np.array(bounds)


def access_bounds_ns(probe_ns: np.ndarray, probe_bounds: np.ndarray, time_bounds: np.ndarray) -> np.ndarray:
    """Ends in ns of the larger of latency and time per access, shape (2, m).

    If even the low end of the time per access is above the latency, the latency's error has no effect.
    """
    return np.where(time_bounds[0] >= probe_ns, time_bounds, np.maximum(probe_bounds, time_bounds))
