"""Full-duplex links of hosts to a switch: what goes out of a host, and what comes in, each first come, first served.

A message goes through two links, out of its source and into its target, and into the second as soon as it begins to
leave the first: the switch buffers what the second has no room for. The links of a host keep the time from which they
are free, so that a message needs a single event: its arrival. Those at one host arrive in the order in which they were
sent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit


class Links(NamedTuple):
    """The links of H hosts.

    Fields:
        out_ns, in_ns: shape (H,), time from which a link is free.
        bytes_out, bytes_in: shape (H,), int64, what was sent through it.
        cost: shape (2,), time of a byte, and latency of a message besides, both in ns.
    """

    out_ns: np.ndarray
    in_ns: np.ndarray
    bytes_out: np.ndarray
    bytes_in: np.ndarray
    cost: np.ndarray


def make_links(hosts: int, mb_per_s: float, latency_ns: float) -> Links:
    """Idle links.

    Args:
        mb_per_s: rate of a link in each direction. latency_ns: of a message, beside its transfer.
    """
    cost = np.array([1e3 / mb_per_s, latency_ns])
    return Links(np.zeros(hosts), np.zeros(hosts), np.zeros(hosts, np.int64), np.zeros(hosts, np.int64), cost)


@njit(cache=True, _nrt=False)
def send(links, source, target, size, now_ns):
    """A message of `size` bytes leaves its source; returns the time of its arrival."""
    transfer_ns = size * links.cost[0]
    begin_ns = max(now_ns, links.out_ns[source])
    links.out_ns[source] = begin_ns + transfer_ns
    end_ns = max(begin_ns, links.in_ns[target]) + transfer_ns
    links.in_ns[target] = end_ns
    links.bytes_out[source] += size
    links.bytes_in[target] += size
    return end_ns + links.cost[1]


@njit(cache=True, _nrt=False)
def occupy(ends_ns, host, duration_ns, now_ns):
    """Somebody else's traffic takes a link for a time; `ends_ns`: `Links.out_ns` or `Links.in_ns`."""
    ends_ns[host] = max(now_ns, ends_ns[host]) + duration_ns


class SpecifiedLink:
    """One direction of a host's link in engine `simpy`."""

    def __init__(self, mb_per_s: float):
        self._byte_ns, self.free_ns, self.bytes = 1e3 / mb_per_s, 0.0, 0

    def pass_through(self, size: int, begin_ns: float) -> tuple[float, float]:
        """(begin, end) of the passage of a message that may begin at a time."""
        begin_ns = max(begin_ns, self.free_ns)
        self.free_ns = begin_ns + size * self._byte_ns
        self.bytes += size
        return begin_ns, self.free_ns

    def occupy(self, duration_ns: float, now_ns: float) -> None:
        """Somebody else's traffic."""
        self.free_ns = max(now_ns, self.free_ns) + duration_ns
