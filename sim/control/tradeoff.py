"""The objective of throughput and latency: J = T / T0 - w max(0, L / L0 - 1)."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.errors import check_range

MOST_WEIGHT = 1e3


@dataclass(frozen=True)
class Tradeoff:
    """Throughput over its reference, less what the latency beyond its reference costs.

    Args:
        throughput, latency: references T0 and L0, in the units of what is compared with them.
        weight: w, the cost of a latency of twice the reference; 0: latency does not count.

    Raises:
        InputError: for a reference that is not above 0, or a weight outside 0 to `MOST_WEIGHT`.
    """

    throughput: float
    latency: float
    weight: float

    def __post_init__(self):
        check_range("reference of the throughput", self.throughput, 1e-300, 1e300)
        check_range("reference of the latency", self.latency, 1e-300, 1e300)
        check_range("latency_weight", self.weight, 0.0, MOST_WEIGHT)

    def __call__(self, throughput: float, latency: float) -> float:
        """The objective J."""
        return throughput / self.throughput - self.weight * max(0.0, latency / self.latency - 1.0)
