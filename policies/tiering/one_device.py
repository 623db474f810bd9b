"""All pages on one device: the two ends between which every policy lies."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.write_lru import WriteLru
from pmtwin.policies.write_placement import WritePlacement


@register("fast-only")
class FastOnly(WriteLru):
    """The first device holds all pages, from the beginning."""

    holds_all = True


@register("slow-only")
class SlowOnly(WritePlacement):
    """Writes to the last device."""

    draws = False

    def arrays(self, point, key):
        """Nothing to remember."""
        return (np.zeros(1),)

    @staticmethod
    def decide(arrays, features, mask):
        """The last device, which holds any request."""
        return mask.size - 1 - np.argmax(mask[::-1])
