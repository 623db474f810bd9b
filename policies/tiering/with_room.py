"""Writes to the first device that has room, so that no request waits for an eviction."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.tiering.features import EVICTIONS
from pmtwin.policies.write_placement import WritePlacement


class WithRoom(WritePlacement):
    """Writes to the first device while it has room, otherwise to the last."""

    draws = False

    def arrays(self, point, key):
        """Nothing to remember."""
        return (np.zeros(1),)

    @staticmethod
    def decide(arrays, features, mask):
        """The first device if nothing has to leave it."""
        return 0 if mask[0] and features[EVICTIONS] == 0.0 else mask.size - 1 - np.argmax(mask[::-1])
