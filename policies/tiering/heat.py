"""Pages by decayed counts of their uses: hot ones come to the first device, the coldest ones leave it, in idle time."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
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
    compiled_in = "pmtwin.policies.tiering.heats"

    def arrays(self, point, key):
        """Heat and time of each page, recently used pages, numbers (`heats.REQUESTS` to `NEXT`), limits."""
        from pmtwin.policies.tiering.heats import NOBODY, RECENT

        pages, options = point.storage.pages, self.options
        numbers = np.array([0, 0, NOBODY, 0])
        limits = np.array([options.half_life, 1.0 + options.margin, options.free / 100.0 * point.storage.capacity[0]])
        return np.zeros(pages), np.zeros(pages, np.int64), np.full(RECENT, NOBODY), numbers, limits
