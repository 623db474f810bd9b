"""Least mean latency if each move takes the time that the devices work on it, as if the thread waited for it.

As `optimum`, with three charges: a page that is read on the slow device enters the fast one by a write; a page that
leaves the fast device without being written is read there and written on the slow one; a write may go to the slow
device at once. A chain of intervals that a page spends on the fast device is a path of the flow, which pays where it
begins and where it ends.
Both devices never hold the same page, so that a page that leaves is copied also if it has not changed.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.yardsticks.accesses import Accesses, accesses
from pmtwin.scenarios.hybrid_storage.yardsticks.flow import MOST_ACCESSES, least_cost
from pmtwin.scenarios.hybrid_storage.yardsticks.prices import Steps, least_by_prices, steps_of
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import (
    ESTIMATE,
    FLOW,
    PRICES,
    Latencies,
    Yardstick,
    kind_of,
    latencies,
)
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.stream import Paged


def optimum_charged(
    requests: Paged,
    fast: BlockDevice,
    slow: BlockDevice,
    capacity: int,
    first: int = 0,
    cached: bool = True,
    exact: int = MOST_ACCESSES,
) -> Yardstick:
    """The yardstick; arguments and errors as of `optimum`. Moves during requests that are not measured are free."""
    times = latencies(requests, fast, slow, first, cached)
    reached, count = accesses(requests, first), len(times.fast)
    steps = _steps(reached, times, requests.pages[first:], count)
    due = float(steps.leave[reached.write].sum())
    method = FLOW if len(reached.request) <= exact else PRICES
    if method == FLOW:
        cost = due + _least_by_flow(steps, reached, count, capacity)
    else:
        cost = least_by_prices(steps, count, int(first == 0), capacity)
    base = np.where(requests.stream.write[first:], times.fast, times.slow).sum()
    kind = kind_of(requests, first, method, ESTIMATE)
    return Yardstick(float(base + cost) / count, float(times.fast.mean()), kind, method)


def _steps(reached: Accesses, times: Latencies, pages: np.ndarray, count: int) -> Steps:
    """What each access gains by a page that was kept, and what it costs to begin or end to keep it."""
    difference = ((times.slow - times.fast) / pages)[reached.request]
    write, at = reached.write, reached.request
    is_end = reached.time == count  # nothing follows the last request: its pages stay where they are
    enter = np.where(write | is_end, 0.0, times.up[at])
    leave = np.where(write, np.minimum(times.down[at], difference), times.down[at])
    leave[is_end] = np.minimum(leave[is_end], 0.0)
    return steps_of(reached, np.where(write, 0.0, difference), enter, leave)


def _least_by_flow(steps: Steps, reached: Accesses, count: int, capacity: int) -> float:
    """Least sum of charges, less the gains, and less `leave` of all writes."""
    accesses_count = len(steps.write)
    node = np.where(steps.write, steps.time, count + 1 + np.arange(accesses_count))
    reads = np.flatnonzero(~steps.write)
    known = np.flatnonzero(steps.starts & (steps.since >= 0))  # pages that requests before the measured ones left
    follows = np.flatnonzero(~steps.starts)
    last = np.flatnonzero(reached.is_last)
    saved = np.where(steps.write, -steps.leave, 0.0)
    tail = np.concatenate([np.zeros(len(known), int), node[follows - 1], node[last], steps.time[reads], node[reads]])
    head = np.concatenate([node[known], node[follows], np.full(len(last), count), node[reads], steps.time[reads]])
    cost = np.concatenate(
        [
            -steps.gain[known],
            saved[follows - 1] - steps.gain[follows],
            saved[last],
            steps.enter[reads],
            steps.leave[reads],
        ]
    )
    return least_cost(count + 1 + accesses_count, tail, head, cost, count, capacity)
