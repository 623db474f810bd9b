"""The slowest device that can hold a request, compiled."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, forceinline=True)
def last_device(mask):
    """Number of the last possible device."""
    return mask.size - 1 - np.argmax(mask[::-1])
