"""Writes to the first device, which evicts its least recently used pages on the path when it is full."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.registry import register
from pmtwin.policies.write_placement import WritePlacement


@register("write-lru")
class WriteLru(WritePlacement):
    """Writes to the first device that can hold the request."""

    draws = False

    def arrays(self, point, key):
        """Nothing to remember."""
        return (np.zeros(1),)

    @staticmethod
    def decide(arrays, features, mask):
        """The first possible device."""
        return np.argmax(mask)
