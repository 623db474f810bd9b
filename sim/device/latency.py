"""Latency: of one dependent access, idle and under load, and of one access of the benchmark's kernel.

Idle values: FAST'20, figure 2 (one access, fence after it). Under load a media line waits for those before it:
`idle + t_line rho / (2 (1 - rho))`, the mean wait of a queue with constant service time; t_line is fitted to the
latency-against-bandwidth curve of FAST'20, figure 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.device.access_latency import AccessLatency
from sim.device.geometry import MEDIA_LINE_BYTES, MIB, cache_lines

if TYPE_CHECKING:
    from sim.device.profile import Profile

UTILISATION_CAP = 0.98
"""The formula has a pole at 1; a closed system of threads never waits longer than this allows."""

MEASURED_UTILISATION = 0.83
"""The largest of FAST'20, figure 6. Beyond it, Little's law tells the latency of a saturated kernel."""


def loaded_latency_ns(idle_ns: float, line_ns: float, utilisation: np.ndarray) -> np.ndarray:
    """Latency in ns of one access at a utilisation of the media of 0 (idle) to 1, capped below the pole."""
    rho = np.clip(utilisation, 0.0, UTILISATION_CAP)
    return idle_ns + line_ns * rho / (2.0 * (1.0 - rho))


def access_latency_ns(
    profile: Profile,
    operation: str,
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    bandwidth_mib_s: np.ndarray,
    utilisation: np.ndarray,
) -> np.ndarray:
    """Time in ns from the start of one access to its end, while all threads together reach `bandwidth_mib_s`.

    The larger of two bounds. A single access takes the loaded latency of its first line and the issue time of the
    further ones, even where independent accesses overlap and the device is not busy. By Little's law each of T
    threads, one access at a time, spends T A / B on it: this is what counts once the media are saturated.

    Args:
        utilisation: the bandwidth over what the media could serve.
    """
    first_ns = profile.loaded_latency_ns(np.minimum(utilisation, MEASURED_UTILISATION), operation, pattern)
    further_ns = (cache_lines(access_size_bytes) - 1.0) * profile.parameters[operation]["further_line_ns"]
    little_ns = threads * access_size_bytes / (bandwidth_mib_s * MIB) * 1e9
    return np.maximum(first_ns + further_ns, little_ns)


def p99_latency_ns(
    profile: Profile, operation: str, pattern: str, access_size_bytes: np.ndarray, latency_ns: np.ndarray
) -> np.ndarray:
    """The latency in ns that 99 of 100 single accesses do not exceed, around their mean `latency_ns`; no hot spot.

    Sequential reads shorter than a media line are of two kinds: the first of a line waits for the media as a random one
    does, the others find it in the buffer. At least one in a hundred is a first.
    """
    lines = 0.0 if operation == "load" else access_size_bytes / MEDIA_LINE_BYTES
    slowest = latency_ns
    both = [profile.idle_latency_ns.get((operation, of)) for of in ("random", "sequential")]
    if operation == "load" and pattern == "sequential" and None not in both:
        first = max(both[0] - both[1], 0.0)
        slowest = latency_ns + np.where(access_size_bytes < MEDIA_LINE_BYTES, first, 0.0)
    return AccessLatency(slowest, profile.tail, lines).quantile(0.99)
