"""Write-combining buffer (XPBuffer): if there are more streams than lines in it, media lines are written partly filled.

FAST'20, section 5.1 and figures 9 and 10: the effective write ratio (EWR, 1 / write amplification) falls with the
number of threads per DIMM.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES, between_one_and_full, media_line_use
from pmtwin.sim.device.parameters import MEDIA_LINE


def amplification(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power: np.ndarray,
) -> np.ndarray:
    """Bytes that the media move per requested byte; at least 1.

    With s = T / D streams per DIMM it rises from the best case to the worst as z / (1 + z), z = (s / s*)^k. Accesses to
    a part of a media line occupy a line of the buffer without filling it: s* falls with the used share of the line.
    With slower media (power factor `power`), s* is lower as well.
    """
    use = np.where(random, media_line_use(access_size_bytes, parameters.get(MEDIA_LINE, MEDIA_LINE_BYTES)), 1.0)
    best = 1.0 / use
    if parameters["worst_amplification"] <= 1.0:  # the operation does not go through the buffer
        return best
    if parameters["eviction_amplification"] > 1.0 or parameters["scatter"]:
        best = np.maximum(best, _evicted(parameters, random, access_size_bytes))
    worst = np.maximum(best, parameters["worst_amplification"])
    critical = between_one_and_full(
        parameters["critical_streams_one_dimm"], parameters["critical_streams_full_set"], dimms
    )
    critical = critical * use ** parameters["partial_line_exponent"] * power ** parameters["stream_power_exponent"]
    z = (threads / (dimms * critical)) ** parameters["stream_exponent"]
    return best + (worst - best) * z / (1.0 + z)


def _evicted(parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray) -> np.ndarray:
    """Best-case amplification of cached stores, whose lines the cache evicts; 1 for flushed and non-temporal stores.

    Eviction scatters even sequential stores; the lines of short random stores leave one by one.
    """
    eviction = parameters["eviction_amplification"]
    scattered = parameters["scatter"] / (
        1.0 + (access_size_bytes / parameters["scatter_bytes"]) ** parameters["scatter_exponent"]
    )
    return eviction + np.where(random, np.maximum(parameters["worst_amplification"] - eviction, 0.0) * scattered, 0.0)
