"""Latency: of one dependent access, idle and under load, and of one access of the benchmark's kernel.

Idle values: FAST'20, figure 2 (one access, fence after it). Under load a media line waits for those before it:
`idle + t_line rho / (2 (1 - rho))`, the mean wait of a queue with constant service time; t_line is fitted to the
latency-against-bandwidth curve of FAST'20, figure 6.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.access_effects import having
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.access_points import AccessPoints
from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES, cache_lines
from pmtwin.sim.device.profile import Profile

UTILISATION_CAP = 0.98
"""Utilisation at which the formula, which has a pole at 1, is cut off: a closed system has finite waits."""

MEASURED_UTILISATION = 0.83
"""Largest utilisation in FAST'20, figure 6. Beyond it, Little's law gives the latency of a saturated kernel."""


def loaded_latency_ns(idle_ns: float, line_ns: float, utilisation: np.ndarray) -> np.ndarray:
    """Latency in ns of one access at a utilisation of the media of 0 (idle) to 1, capped below the pole."""
    rho = np.clip(utilisation, 0.0, UTILISATION_CAP)
    return idle_ns + line_ns * rho / (2.0 * (1.0 - rho))


def probe_latency_ns(
    profile: Profile, operation: str, pattern: str, points: AccessPoints, utilisation: np.ndarray
) -> np.ndarray:
    """Latency in ns of one dependent access from the local node, while other accesses use the media.

    It is the loaded latency of the first line plus the issue time of further lines; NaN if the profile does not
    identify the latency, idle or under load.

    Args:
        utilisation: utilisation of the media by the other accesses, 0 to 1.
    """

    def at(access_pattern: str) -> np.ndarray:
        if (operation, access_pattern) not in profile.idle_latency_ns or operation not in profile.queue_line_ns:
            return np.full(utilisation.shape, np.nan)
        idle_ns, line_ns = profile.idle_latency_ns[operation, access_pattern], profile.queue_line_ns[operation]
        first_ns = loaded_latency_ns(idle_ns, line_ns, np.minimum(utilisation, MEASURED_UTILISATION))
        return first_ns + (cache_lines(points.access_size_bytes) - 1.0) * further_ns

    if operation not in profile.parameters:
        return np.full(utilisation.shape, np.nan)
    further_ns = profile.parameters[operation]["further_line_ns"]
    # No two strided accesses share a media line: each waits like a random one.
    as_random = having(points, "as_random")
    return np.where(as_random, at("random"), at(pattern)) if np.any(as_random) else at(pattern)


def p99_latency_ns(
    profile: Profile, operation: str, pattern: str, access_size_bytes: np.ndarray, latency_ns: np.ndarray
) -> np.ndarray:
    """99th percentile, in ns, of single accesses with mean `latency_ns`, without a hot spot.

    Sequential reads shorter than a media line are of two kinds: the first read of a line waits for the media like a
    random one, the others find the line in the buffer. At least one in a hundred is a first read.
    """
    lines = 0.0 if operation == "load" else access_size_bytes / MEDIA_LINE_BYTES
    slowest = latency_ns
    random, sequential = (profile.idle_latency_ns.get((operation, name)) for name in ("random", "sequential"))
    if operation == "load" and pattern == "sequential" and random is not None and sequential is not None:
        media_wait_ns = max(random - sequential, 0.0)
        slowest = latency_ns + np.where(access_size_bytes < MEDIA_LINE_BYTES, media_wait_ns, 0.0)
    return AccessLatency(slowest, profile.tail, lines).quantile(0.99)
