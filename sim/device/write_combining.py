"""Write-combining buffer (XPBuffer): when streams outnumber its lines, media lines are written before they are full.

FAST'20, section 5.1 and figures 9 and 10: the effective write ratio (EWR, 1 / write amplification) falls as threads
per DIMM grow.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.device.geometry import between_one_and_full, media_line_use


def amplification(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
) -> np.ndarray:
    """Bytes that the media move for one byte asked for; at least 1.

    The best case is a whole media line per sub-line access (random) or perfect combining (sequential); with s = T / D
    streams per DIMM it rises to the worst case as z / (1 + z), z = (s / s*)^k.
    """
    best = np.where(random, 1.0 / media_line_use(access_size_bytes), 1.0)
    # Lines of a cached store leave the cache in no order, so that even long random accesses arrive in pieces.
    scatter = parameters["scatter"] / (1.0 + (access_size_bytes / parameters["scatter_bytes"]) ** 0.5)
    best = best * (1.0 + np.where(random, scatter, 0.0))
    worst = np.maximum(best, parameters["worst_amplification"])
    critical = between_one_and_full(
        parameters["critical_streams_one_dimm"], parameters["critical_streams_full_set"], dimms
    )
    z = (threads / dimms / critical) ** parameters["stream_exponent"]
    return best + (worst - best) * z / (1.0 + z)
