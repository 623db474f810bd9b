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
"""The formula has a pole at 1; a closed system of threads never waits longer than this allows."""

MEASURED_UTILISATION = 0.83
"""The largest of FAST'20, figure 6. Beyond it, Little's law gives the latency of a saturated kernel."""


def loaded_latency_ns(idle_ns: float, line_ns: float, utilisation: np.ndarray) -> np.ndarray:
    """Latency in ns of one access at a utilisation of the media of 0 (idle) to 1, capped below the pole."""
    rho = np.clip(utilisation, 0.0, UTILISATION_CAP)
    return idle_ns + line_ns * rho / (2.0 * (1.0 - rho))


def probe_latency_ns(
    profile: Profile, operation: str, pattern: str, points: AccessPoints, utilisation: np.ndarray
) -> np.ndarray:
    """Latency in ns of one dependent access beside others that use the media so much (0 to 1), from the local node.

    The loaded latency of its first line and the issue time of the further ones; NaN where the profile does not know
    the idle latency or the one under load.
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
    # No two strided accesses share a media line: each waits as a random one does.
    as_random = having(points, "as_random")
    return np.where(as_random, at("random"), at(pattern)) if np.any(as_random) else at(pattern)


def p99_latency_ns(
    profile: Profile, operation: str, pattern: str, access_size_bytes: np.ndarray, latency_ns: np.ndarray
) -> np.ndarray:
    """The latency in ns that 99 of 100 single accesses do not exceed, around their mean `latency_ns`; no hot spot.

    Sequential reads shorter than a media line are of two kinds: the first of a line waits for the media as a random one
    does, the others find it in the buffer. At least one in a hundred is a first.
    """
    lines = 0.0 if operation == "load" else access_size_bytes / MEDIA_LINE_BYTES
    slowest = latency_ns
    random, sequential = (profile.idle_latency_ns.get((operation, each)) for each in ("random", "sequential"))
    if operation == "load" and pattern == "sequential" and random is not None and sequential is not None:
        first = max(random - sequential, 0.0)
        slowest = latency_ns + np.where(access_size_bytes < MEDIA_LINE_BYTES, first, 0.0)
    return AccessLatency(slowest, profile.tail, lines).quantile(0.99)
