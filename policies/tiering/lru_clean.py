"""Least recently used pages leave in idle time, so that writes find room on the first device."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
from pmtwin.policies.tiering.with_room import WithRoom
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class LruCleanOptions(Options):
    """How much is kept free."""

    free: float = option(
        10.0, "capacity of each device but the last that is kept free, in percent", low=0.0, high=100.0, unit="%"
    )


SEARCHED = MappingProxyType({"free": (0.2, 50.0)})
SEARCH = "pmtwin.policies.training.search_options:InlineSearch"


@register("lru-clean")
class PlaceWithRoom(WithRoom):
    """Writes to the first device while it has room, otherwise to the last."""

    Takes = LruCleanOptions
    searched = SEARCHED
    trainable = SEARCH


@register("lru-clean")
class LruClean(Migration):
    """Moves the least recently used page of a device that is too full to the next one."""

    Takes = LruCleanOptions
    searched = SEARCHED
    trainable = SEARCH
    options: LruCleanOptions
    draws = False

    def arrays(self, point, key):
        """Pages to keep free on each device."""
        return (np.array([self.options.free / 100.0 * pages for pages in point.storage.capacity[:-1]] + [0.0]),)

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """The oldest page of the first device without enough free pages."""
        for device in range(free.size - 1):
            if free[device] < arrays[0][device] and oldest[device] >= 0:
                return oldest[device] * free.size + device + 1
        return -1
