"""What Table 4 does not state of a workload: which pages its requests are for, and how its numbers spread."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.options import Options, option

MEAN_REQUESTS = 16_384
"""Footprint unless one is given, in requests of the mean size."""


@dataclass(frozen=True, kw_only=True)
class Shape(Options):
    """Parameters of drawn requests; the paper states none of them."""

    title = "workload"

    skew: float = option(0.9, "popularity of places: exponent of their Zipf distribution", low=0.0, high=4.0)
    drift: int = option(
        0, "requests after which each place falls by one rank, and the last becomes the first; 0: never", low=0,
        high=10**9, metavar="N",
    )  # fmt: skip
    footprint_pages: int = option(
        0, f"pages that requests are for; 0: as many as {MEAN_REQUESTS:,} requests of the mean size have", low=0,
        high=1 << 31, metavar="N",
    )  # fmt: skip
    sequential: float = option(
        0.0, "share of requests that begin where the one before of the thread ended", low=0.0, high=1.0, metavar="P"
    )
    burstiness: float = option(
        1.0, "standard deviation of the gaps over their mean (gamma distribution; 1: exponential, 0: all alike)",
        low=0.0, high=10.0,
    )  # fmt: skip
    length: int = option(100_000, "requests of a run", low=100, high=10**9, metavar="N")
