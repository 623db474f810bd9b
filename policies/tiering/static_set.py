"""The pages that are used most stay on the first device, by one who knows all requests: a set that never changes."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.migration import Migration
from pmtwin.policies.registry import register
from pmtwin.policies.tiering.features import PAGE
from pmtwin.policies.write_placement import WritePlacement


def members(storage) -> np.ndarray:
    """Shape (pages,), bool: the pages with the most requests, as many as the first device holds."""
    requests = storage.requests
    change = np.zeros(storage.pages + 1, np.int64)
    np.add.at(change, requests.first, 1)
    np.add.at(change, requests.first + requests.pages, -1)
    chosen = np.zeros(storage.pages, np.bool_)
    chosen[np.argsort(-np.cumsum(change)[:-1], kind="stable")[: storage.capacity[0]]] = True
    return chosen


@register("static-set")
class PlaceStaticSet(WritePlacement):
    """Writes of the pages that are used most to the first device, others to the last."""

    draws = False

    def arrays(self, point, key):
        """The set."""
        return (members(point.storage),)

    @staticmethod
    def decide(arrays, features, mask):
        """By the first page of the request."""
        return 0 if mask[0] and arrays[0][int(features[PAGE])] else mask.size - 1 - np.argmax(mask[::-1])


@register("static-set")
class StaticSet(Migration):
    """Moves the pages that are used most to the first device, and others away from it."""

    draws = False
    compiled_in = "pmtwin.policies.tiering.misplaced"

    def arrays(self, point, key):
        """The set; where the search goes on."""
        return members(point.storage), np.zeros(1, np.int64)
