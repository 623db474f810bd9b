"""Interleaving: chunks of 4 KiB go to the DIMMs in turn, so that accesses of about a chunk collide on DIMMs.

Small accesses of one thread spread over many DIMMs at once, long ones cover all of them; near 4 KiB each thread keeps
one DIMM busy and leaves another idle (FAST'20, figure 5). Sequential loads of about a chunk convoy: threads in lock
step queue for the same DIMM.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.device.geometry import FULL_SET_DIMMS, INTERLEAVING_CHUNK_BYTES


def _hump(access_size_bytes: np.ndarray, rise: float, fall: float) -> np.ndarray:
    """1 at one chunk, falling as powers of the size on both sides."""
    ratio = access_size_bytes / INTERLEAVING_CHUNK_BYTES
    return 2.0 / (ratio**-rise + ratio**fall)


def spread_efficiency(
    parameters: Mapping[str, float],
    random: np.ndarray,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
) -> np.ndarray:
    """Share of the DIMMs' bandwidth that the accesses reach, in (0, 1]; 1 for one DIMM."""
    sharing = (1.0 - 1.0 / dimms) / (1.0 - 1.0 / FULL_SET_DIMMS)
    collision = parameters["collision"] * _hump(
        access_size_bytes, parameters["collision_rise"], parameters["collision_fall"]
    )
    step = (threads / parameters["convoy_threads"]) ** 8
    convoy = parameters["convoy"] * _hump(access_size_bytes, 2.0, 2.0) * step / (1.0 + step)
    return 1.0 / (1.0 + sharing * np.where(random, collision, convoy))
