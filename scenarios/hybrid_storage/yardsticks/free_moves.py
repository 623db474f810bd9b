"""Least mean latency if moves were free: an interval between two accesses of a page is an arc of a flow.

A page enters the fast device when it is accessed and leaves it for nothing, so that writes are always fast and only the
pages kept between two requests take capacity. To keep a page until a read gains the difference of the latencies of that
read, divided by its pages. This is exact for requests of one page. A longer request whose pages lie on both devices
takes longer than its shares, so that the flow is a lower bound. A policy that fetches pages before they are read can be
faster.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.yardsticks.accesses import accesses
from pmtwin.scenarios.hybrid_storage.yardsticks.flow import MOST_ACCESSES, least_cost
from pmtwin.scenarios.hybrid_storage.yardsticks.prices import least_by_prices, steps_of
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import FLOW, PRICES, Yardstick, kind_of, latencies
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.stream import Paged


def optimum(
    requests: Paged,
    fast: BlockDevice,
    slow: BlockDevice,
    capacity: int,
    first: int = 0,
    cached: bool = True,
    exact: int = MOST_ACCESSES,
) -> Yardstick:
    """The yardstick, from a system whose pages all start on the slow device.

    Args:
        capacity: pages on the fast device, 1 or more.
        first: number of the first measured request; what those before it accessed may lie on either device.
        cached: whether the memory of a device, if there is one, takes writes.
        exact: measured accesses up to which the flow is solved; with more, the lower bound by prices.

    Raises:
        InputError: for `first` out of range.
    """
    times = latencies(requests, fast, slow, first, cached)
    reached, count = accesses(requests, first), len(times.fast)
    difference = np.maximum(times.slow - times.fast, 0.0)
    gain = np.where(reached.write, 0.0, (difference / requests.pages[first:])[reached.request])
    kept = np.flatnonzero((reached.since >= 0) & (gain > 0.0))
    start, end = reached.since[kept], reached.time[kept]
    method = FLOW if len(reached.request) <= exact else PRICES
    if _most_at_once(start, end, count) <= capacity:
        method, cost = FLOW, -float(gain[kept].sum())
    elif method == FLOW:
        cost = least_cost(count + 1, start, end, -gain[kept], count, capacity)
    else:
        free = np.zeros(len(gain))
        cost = least_by_prices(steps_of(reached, gain, free, free), count, int(first == 0), capacity)
    write = requests.stream.write[first:]
    total = float(np.where(write, np.minimum(times.fast, times.slow), times.slow).sum()) + cost
    return Yardstick(total / count, float(times.fast.mean()), kind_of(requests, first, method), method)


def _most_at_once(start: np.ndarray, end: np.ndarray, count: int) -> int:
    """Largest number of intervals that contain the time between two requests."""
    change = np.bincount(start, minlength=count + 1) - np.bincount(end, minlength=count + 1)
    return int(np.cumsum(change).max())
