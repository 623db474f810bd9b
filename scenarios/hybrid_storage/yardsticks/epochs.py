"""The best pages of each epoch on the fast device, known in advance, and moved between epochs at no cost.

Harmonia's Oracle "makes optimal decisions based on complete knowledge", and moves in idle times that add no latency
(section 3.4). During an epoch nothing moves: a page that the fast device does not hold is read and written on the slow
one. Pages are fetched before they are accessed, so that this yardstick may lie below `optimum`.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.yardsticks.accesses import accesses
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import BOUND, SUMS, Yardstick, kind_of, latencies
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.stream import Paged

EPOCH = 1_000
"""Requests between two migrations of the paper's baselines (section 3.3)."""


def oracle_epoch(
    requests: Paged,
    fast: BlockDevice,
    slow: BlockDevice,
    capacity: int,
    first: int = 0,
    cached: bool = True,
    epoch: int = EPOCH,
) -> Yardstick:
    """The yardstick; arguments and errors as of `optimum`.

    Args:
        epoch: requests of an epoch; as many as are measured: the best fixed set of pages.

    Raises:
        InputError: for `first` or `epoch` out of range.
    """
    if epoch < 1:
        raise InputError("epoch", epoch, "1 request or more")
    times = latencies(requests, fast, slow, first, cached)
    reached, count = accesses(requests, first), len(times.fast)
    share = ((times.slow - times.fast) / requests.pages[first:])[reached.request]
    number, place = np.unique(np.stack([reached.request // epoch, reached.page]), axis=1, return_inverse=True)
    gain = np.bincount(place.ravel(), share, number.shape[1])
    order = np.lexsort((-gain, number[0]))
    begin = np.searchsorted(number[0][order], number[0][order])
    best = order[(np.arange(len(order)) - begin < capacity) & (gain[order] > 0.0)]
    total = float(times.slow.sum() - gain[best].sum())
    kind = kind_of(requests, first, SUMS, BOUND)
    return Yardstick(total / count, float(times.fast.mean()), kind, SUMS, _entering(number[:, best], capacity))


def _entering(chosen: np.ndarray, capacity: int) -> int:
    """Pages that enter over all epochs, if those that were chosen before stay as long as there is room for them."""
    moves, held = 0, np.zeros(0, np.int64)
    for number in np.unique(chosen[0]):
        pages = chosen[1, chosen[0] == number]
        moves += len(np.setdiff1d(pages, held))
        rest = np.setdiff1d(held, pages)[: capacity - len(pages)]
        held = np.concatenate([pages, rest])
    return moves
