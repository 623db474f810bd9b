"""Short operations, simulated several at a time: an event for each would be too many.

A group takes as long as its operations one after the other, so that throughput, bytes and time on a core stay the same;
the spread of times is that of groups, and a thread may leave a core only between them.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.numa.kinds import no_threads
from pmtwin.sim.numa.speed_rows import Costs


class Grouped:
    """Costs of groups of operations.

    Args:
        costs: of one operation. size: operations of a group.
    """

    def __init__(self, costs: Costs, size: int):
        self._costs, self._size = costs, size
        self.read_bytes, self.written_bytes = (
            size * np.asarray(each) for each in (costs.read_bytes, costs.written_bytes)
        )
        self.sibling_factor, self.refill_ns_per_byte = costs.sibling_factor, costs.refill_ns_per_byte

    def times(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Times of a group."""
        software, memory = self._costs.times(counts)
        return self._size * software, self._size * memory


def group_size(costs: Costs, nodes: int, mix: np.ndarray, least_us: float) -> int:
    """Operations of a group that takes at least so long on an idle machine; `mix`: shares of gets and puts."""
    software, memory = costs.times(no_threads(nodes))
    alone_us = 1e-3 * float((software + memory)[0, 0, 0] @ mix)
    return max(1, math.ceil(least_us / alone_us))
