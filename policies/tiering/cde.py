"""CDE: hot or random writes to the first device, cold and sequential ones to the last (Harmonia, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.registry import register
from pmtwin.policies.tiering.features import COUNT, PAGES
from pmtwin.policies.write_placement import WritePlacement
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class CdeOptions(Options):
    """What is hot, and what is random; the paper states neither."""

    hot: int = option(4, "requests for a page from which it is hot", low=1, high=10**9, metavar="N")
    random_pages: int = option(8, "pages up to which a request is random", low=0, high=10**6, metavar="N")


@register("cde")
class Cde(WritePlacement):
    """Writes hot or random data to the first device, other data to the last."""

    Takes = CdeOptions
    options: CdeOptions
    draws = False

    def arrays(self, point, key):
        """The two limits."""
        return (np.array([self.options.hot, self.options.random_pages], float),)

    @staticmethod
    def decide(arrays, features, mask):
        """The first device that can hold hot or random data, or the last one."""
        hot, random_pages = arrays[0]
        if features[COUNT] >= hot or features[PAGES] <= random_pages:
            return np.argmax(mask)
        return mask.size - 1 - np.argmax(mask[::-1])
