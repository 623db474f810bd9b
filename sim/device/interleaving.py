"""Interleaving: chunks of 4 KiB go to the DIMMs in turn, so that random accesses of about a chunk collide on DIMMs.

Small accesses of one thread spread over many DIMMs at once, long ones cover all of them; near 4 KiB each thread keeps
one DIMM busy and leaves another idle (FAST'20, figure 5).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.geometry import FULL_SET_DIMMS, INTERLEAVING_CHUNK_BYTES


def collision_loss(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray, dimms: np.ndarray
) -> np.ndarray:
    """Media time lost to collisions over the time used: largest at 4 KiB, 0 for one DIMM and sequential accesses."""
    ratio = access_size_bytes / INTERLEAVING_CHUNK_BYTES
    hump = 2.0 / (ratio ** -parameters["collision_rise"] + ratio ** parameters["collision_fall"])
    sharing = (1.0 - 1.0 / dimms) / (1.0 - 1.0 / FULL_SET_DIMMS)
    return np.where(random, parameters["collision"] * sharing * hump, 0.0)
