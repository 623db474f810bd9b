"""Pages move by two numbers that are decided between windows: the share kept free, and the uses that promote."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register

NOBODY = -1


@register("thresholds")
class Thresholds(Migration):
    """Moves old pages away while too little is free, and pages with enough uses to the first device, by the setting."""

    draws = False

    def arrays(self, point, key):
        """Capacities; uses of each page since it last moved; the page that was used last."""
        pages, capacity = point.storage.pages, point.storage.capacity
        return np.array(capacity, np.int64), np.zeros(pages, np.int64), np.full(1, NOBODY)

    @staticmethod
    def used(arrays, page, pages, write, device_of):
        """Count the uses."""
        _, uses, last = arrays
        for each in range(page, page + pages):
            uses[each] += 1
        last[0] = page

    @staticmethod
    def moved(arrays, page, origin, target):
        """Count anew."""
        arrays[1][page] = 0

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """An old page of a device that is too full, or the page used last if it was used often enough."""
        capacity, uses, last = arrays
        kept_free, promoted_at = setting
        for device in range(free.size - 1):
            if 100 * free[device] < kept_free * capacity[device] and oldest[device] >= 0:
                return oldest[device] * free.size + device + 1
        hot = last[0]
        if promoted_at > 0 and hot != NOBODY and device_of[hot] > 0 and uses[hot] >= promoted_at:
            return hot * free.size
        return NOBODY
