"""Data on a NUMA machine by equal loaded latencies (Colloid: Vuppalapati and Agarwal, SOSP 2024)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.policies.data_placement import DataPlacement
from pmtwin.policies.registry import register
from pmtwin.sim.options import Options, option


@dataclass(frozen=True)
class EqualLatencyOptions(Options):
    """When data move."""

    tolerance: float = option(
        0.05, "difference of two nodes' latencies, as a share of the higher, that is left", low=0.0, high=1.0,
        metavar="P",
    )  # fmt: skip


@register("equal-latency")
class EqualLatency(DataPlacement):
    """Values go to the node whose loaded memory answers fastest, until all answer alike."""

    Takes = EqualLatencyOptions
    options: EqualLatencyOptions
    draws = False

    def arrays(self, point, key):
        """The tolerance."""
        return (np.array([self.options.tolerance]),)

    @staticmethod
    def copy_to(arrays, latencies, shares):
        """The fastest node, if any node with data is slower by more than the tolerance."""
        fastest = np.argmin(latencies)
        slowest = 0.0
        for node in range(shares.size):
            if shares[node] > 0.0:
                slowest = max(slowest, latencies[node])
        if slowest - latencies[fastest] > arrays[0][0] * slowest:
            return fastest
        return -1
