"""Policies of a user's own, as docs/hybrid-storage.md shows them."""

import numpy as np

from pmtwin.policies import Migration, WritePlacement

PAGES = 1


class SmallWritesFast(WritePlacement):
    """Writes of at most two pages to the first device, others to the last."""

    def arrays(self, point, key):
        """Nothing to remember."""
        return (np.zeros(1),)

    @staticmethod
    def decide(arrays, features, mask):
        """By the size of the request."""
        return 0 if mask[0] and features[PAGES] <= 2 else mask.size - 1


class PromoteRead(Migration):
    """Moves the page that was read last to the first device, in plain Python."""

    def start(self, point, key):
        """No page was read."""
        self.page = -1

    def used(self, page, pages, write, device_of):
        """Remember what was read."""
        self.page = -1 if write else page

    def move(self, page, features, device_of, oldest, free, setting):
        """The page read last, if it is elsewhere and there is room; else the oldest page makes room."""
        if self.page < 0 or device_of[self.page] == 0:
            return -1
        if free[0] > 0:
            return self.page * len(free)
        return oldest[0] * len(free) + 1 if oldest[0] >= 0 else -1
