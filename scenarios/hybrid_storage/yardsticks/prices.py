"""Lower bounds from prices: each page pays for its time on the fast device, and no page knows of the others.

The limit of capacity between two requests is kept on average over each part of the time only, by a price for that part
(a Lagrange multiplier). Whatever the prices are, the least cost of all pages, less what the capacity would earn, is
below the least cost with the true limit. Prices rise where too many pages are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.hybrid_storage.yardsticks.accesses import Accesses
from pmtwin.scenarios.hybrid_storage.yardsticks.kernel import least_cost

PARTS = 256
"""Parts of the time, each of which has a price."""

HALVINGS, ROUNDS = 30, 300
"""Halvings of the range of one price for all parts; rounds in which they then change apart."""


class Steps(NamedTuple):
    """Accesses sorted by page, shape (m,), with the charges of a page that is kept, in ns.

    Fields:
        starts: whether the access is the first measured one of its page.
        write: whether it writes.
        since, time, until: times of the access before (-1: none), of this one and of the next one, or the end.
        gain: what the access gains if the page was kept until it.
        enter, leave: what it costs if the page is kept from this access on, but was not until it; and the other way
            round. `leave` of a write is due also if the page was not kept.
    """

    starts: np.ndarray
    write: np.ndarray
    since: np.ndarray
    time: np.ndarray
    until: np.ndarray
    gain: np.ndarray
    enter: np.ndarray
    leave: np.ndarray


def steps_of(reached: Accesses, gain: np.ndarray, enter: np.ndarray, leave: np.ndarray) -> Steps:
    """The accesses with these gains and charges."""
    return Steps(reached.starts, reached.write, reached.since, reached.time, reached.until, gain, enter, leave)


def least_by_prices(steps: Steps, count: int, begin: int, capacity: int) -> float:
    """Lower bound of the charges less the gains.

    Args:
        count: number of measured requests, the last time.
        begin: first time at which pages may be kept, 0 or 1.
        capacity: pages that may be kept at a time.
    """
    part = np.minimum(np.arange(count) * PARTS // count, PARTS - 1)
    room = capacity * np.bincount(part[begin:], minlength=PARTS).astype(float)
    best = -np.inf

    def excess(price: np.ndarray) -> np.ndarray:
        nonlocal best
        value = np.concatenate([[0.0], np.cumsum(price[part])])
        change = np.zeros(count + 1)
        best = max(best, least_cost(steps, value, change, np.zeros((len(steps.write), 2), np.bool_)) - price @ room)
        return np.bincount(part, np.cumsum(change)[:-1], PARTS) - room

    if excess(np.zeros(PARTS)).max() <= 0.0:
        return best
    most = float(steps.gain.max(initial=0.0) + np.abs(steps.leave).max(initial=0.0))
    price, scale = _halved(lambda price: excess(price).sum(), most), _halved(lambda price: excess(price).max(), most)
    scale = max(price, 0.2 * scale)
    prices = np.full(PARTS, price)
    for step in scale * np.geomspace(1.0, 0.01, ROUNDS):
        prices = np.maximum(prices + step * np.clip(excess(prices) / np.maximum(room, 1.0), -1.0, 1.0), 0.0)
    return best


def _halved(excess: Callable[[np.ndarray], float], high: float) -> float:
    """The price, the same for all parts, above which the excess is not positive; below `high`."""
    low = 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(np.full(PARTS, middle)) > 0.0 else (low, middle)
    return high
