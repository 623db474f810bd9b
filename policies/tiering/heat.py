"""Pages by decayed counts of their uses: hot ones come to the first device, the coldest ones leave it, in idle time."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
from pmtwin.policies.tiering.heats import COLD, NEXT, NOBODY, RECENT, REQUESTS, coldest_of, hottest_of
from pmtwin.policies.tiering.with_room import WithRoom
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class HeatOptions(Options):
    """How heat decays, and what moves."""

    half_life: float = option(10_000.0, "requests in which heat halves", low=1.0, high=1e12, unit="requests")
    margin: float = option(
        0.5, "heat above that of the coldest page at which a page takes its place, as a share", low=0.0, high=1e6
    )
    free: float = option(
        1.0, "capacity of the first device that is kept free, in percent", low=0.0, high=100.0, unit="%"
    )


SEARCHED = MappingProxyType({"half_life": (300.0, 100_000.0), "margin": (0.0, 3.0), "free": (0.2, 20.0)})
SEARCH = "pmtwin.policies.training.search_options:InlineSearch"


@register("heat")
class PlaceWithRoom(WithRoom):
    """Writes to the first device while it has room, otherwise to the last."""

    Takes = HeatOptions
    searched = SEARCHED
    trainable = SEARCH


@register("heat")
class Heat(Migration):
    """Promotes recently used pages that are hotter than the coldest of the first device, which leave it."""

    Takes = HeatOptions
    searched = SEARCHED
    trainable = SEARCH
    options: HeatOptions
    draws = False

    def arrays(self, point, key):
        """Heat and time of each page, recently used pages, numbers (`REQUESTS` to `NEXT`), limits."""
        pages, options = point.storage.pages, self.options
        numbers = np.array([0, 0, NOBODY, 0])
        limits = np.array([options.half_life, 1.0 + options.margin, options.free / 100.0 * point.storage.capacity[0]])
        return np.zeros(pages), np.zeros(pages, np.int64), np.full(RECENT, NOBODY), numbers, limits

    @staticmethod
    def used(arrays, page, pages, write, device_of):
        """The pages are hotter by 1."""
        heat, since, recent, numbers, limits = arrays
        numbers[REQUESTS] += 1
        age, factor = -1, 1.0
        for number in range(page, page + pages):
            if numbers[REQUESTS] - since[number] != age:  # pages of a request often have been used together before
                age = numbers[REQUESTS] - since[number]
                factor = 0.5 ** (age / limits[0])
            heat[number] = heat[number] * factor + 1.0
            since[number] = numbers[REQUESTS]
            if device_of[number] > 0:
                recent[numbers[NEXT] % RECENT] = number
                numbers[NEXT] += 1

    @staticmethod
    def move(arrays, page, features, device_of, oldest, free, setting):
        """The hottest recent page if there is room, or the coldest one of the first device to make room for it."""
        _, _, _, numbers, limits = arrays
        hot, hottest = hottest_of(arrays, device_of)
        cold, coldest = coldest_of(arrays, device_of, oldest[0])
        numbers[COLD] = cold
        if free[0] > limits[2] and hot != NOBODY:
            return hot * free.size
        if cold != NOBODY and (free[0] < limits[2] or hottest > limits[1] * coldest):
            return cold * free.size + 1
        return NOBODY
