"""No moves: pages change their device by writes and evictions alone."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register


@register("stay")
class Stay(Migration):
    """Moves no page."""

    draws = False

    def arrays(self, point, key):
        """Nothing to remember."""
        return (np.zeros(1),)

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """No page."""
        return -1
