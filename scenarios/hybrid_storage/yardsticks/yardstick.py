"""What a yardstick returns, and the latencies that all of them count."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.devices import BlockDevice
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged

EXACT, BOUND, ESTIMATE = "exact", "lower bound", "estimate"
FLOW, PRICES, SUMS = "min-cost flow", "prices of capacity", "sums by epoch"

NEGLIGIBLE = 1e-3
"""Share of the optimum's latency below which a gap is none: shares of it would be those of noise."""


class Yardstick(NamedTuple):
    """Least mean latency of the measured requests.

    Fields:
        mean_ns: mean latency.
        fast_only_ns: mean latency if the fast device held all pages.
        kind: `EXACT`; `BOUND`: the true value is not below; `ESTIMATE`: it may be on either side.
        method: `FLOW`, `PRICES` or `SUMS`.
        moves: pages that enter the fast device, of `oracle_epoch` alone.
    """

    mean_ns: float
    fast_only_ns: float
    kind: str
    method: str
    moves: int | None = None

    @property
    def over_fast_only(self) -> float:
        """Mean latency over that of Fast-Only."""
        return self.mean_ns / self.fast_only_ns


class Latencies(NamedTuple):
    """Latencies of the measured requests on idle devices, shape (n,), in ns.

    Fields:
        fast, slow: of the whole request on either device.
        up, down: a page's share of moving the pages of the request to the fast device, after they were read, and to the
            slow one.
    """

    fast: np.ndarray
    slow: np.ndarray
    up: np.ndarray
    down: np.ndarray


def latencies(requests: Paged, fast: BlockDevice, slow: BlockDevice, first: int, cached: bool) -> Latencies:
    """The latencies of the requests from number `first` on; one that begins where the one before ends has no seek.

    Args:
        cached: whether the memory of a device, if there is one, takes writes.

    Raises:
        InputError: for `first` out of range.
    """
    stream = requests.stream
    if not 0 <= first < len(stream.size):
        raise InputError("first measured request", first, f"0 to {len(stream.size) - 1}")
    follows = np.concatenate([[False], stream.offset[1:] == (stream.offset + stream.size)[:-1]])
    chosen = (stream.write[first:], stream.size[first:], follows[first:])
    pages = requests.pages[first:]

    def move(device: BlockDevice, write: bool) -> np.ndarray:
        return device.latency_ns(write, cached=cached) / pages + device.transfer_ns(write, PAGE_BYTES)

    on_fast, on_slow = (_alone_ns(device, *chosen, cached) for device in (fast, slow))
    return Latencies(on_fast, on_slow, move(fast, True), move(fast, False) + move(slow, True))


def _alone_ns(
    device: BlockDevice, write: np.ndarray, size: np.ndarray, sequential: np.ndarray, cached: bool
) -> np.ndarray:
    """`device.alone_ns` of each request, shape (n,)."""
    latency = np.array(
        [[device.latency_ns(kind, follows, cached) for follows in (False, True)] for kind in (False, True)]
    )
    transfer = np.array([device.transfer_ns(kind, 1) for kind in (False, True)])
    return latency[write.astype(int), sequential.astype(int)] + transfer[write.astype(int)] * size


def kind_of(requests: Paged, first: int, method: str, otherwise: str = BOUND) -> str:
    """`EXACT` for requests of one whole page by one thread, if the method is exact; otherwise `otherwise`.

    `ESTIMATE` for several threads, whose requests come in an order that policies change.
    """
    stream = requests.stream
    if stream.threads > 1:
        return ESTIMATE
    whole = (stream.size[first:] == PAGE_BYTES).all() and (requests.pages[first:] == 1).all()
    return EXACT if whole and method != PRICES else otherwise
