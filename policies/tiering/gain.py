"""Pages by what they are expected to gain: a page enters a device if it gains more than the page that leaves.

Writes and moves follow one rule. A page's rate (`rates.py`) is the time that its requests save on the first device,
per access to any page. Over a horizon, the rate of what enters, less that of what leaves, has to pay for the time that
the change takes. The placement and the migration policy of a run share their arrays: the one decides about writes by
what the other hears of all requests. Placement alone hears nothing, and is `write-lru`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
from pmtwin.policies.write_placement import WritePlacement
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class GainOptions(Options):
    """How far back uses count, how far ahead a page earns, and what moves cost besides time."""

    memory: float = option(
        1.0, "shortest half-life of a use, in accesses to as many pages as the first device holds", low=0.01, high=1e3
    )
    horizon: float = option(3.0, "accesses for which a page stays and earns, in the same unit", low=0.0, high=1e6)
    writes: float = option(1.0, "weight of the time that a write saves; that of a read is 1", low=0.0, high=10.0)
    free: float = option(
        5.0, "capacity of each device but the last that is kept free, in percent", low=0.0, high=100.0, unit="%"
    )
    wear: float = option(0.0, "price of a page that an exchange writes", low=0.0, high=1e9, unit="us")


PARTS = 6
"""Number of arrays, which both decision points of a run have in common."""


class Gaining(InlinePolicy):
    """What both decision points of the policy have in common."""

    Takes = GainOptions
    options: GainOptions
    draws = False
    shared = tuple(range(PARTS))
    compiled_in = "pmtwin.policies.tiering.gaining"
    searched = MappingProxyType(
        {"memory": (0.25, 8.0), "horizon": (0.3, 30.0), "writes": (0.0, 1.0), "free": (0.2, 20.0)}
    )
    trainable = "pmtwin.policies.training.search_options:InlineSearch"

    def arrays(self, point, key):
        """Those of `gaining.make_arrays`."""
        from pmtwin.policies.tiering.gaining import make_arrays

        return make_arrays(point.storage, self.options)


@register("gain")
class PlaceByGain(Gaining, WritePlacement):
    """Writes to the first device on which the pages are worth the room that they take."""


@register("gain")
class Gain(Gaining, Migration):
    """Promotes requests that earn more than the coldest page, and keeps pages free, in idle time."""
