"""Host processors: hardware threads that requests share when there are more requests than threads."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.stations.processor_sharing import SharedStation
from pmtwin.sim.stations.station import MOST_SPEEDS


@dataclass(frozen=True, kw_only=True)
class Processors(SharedStation):
    """Egalitarian processor sharing: with n requests present, each runs at speed min(1, threads / n).

    Args:
        threads: hardware threads.
    """

    threads: int

    def __post_init__(self):
        super().__post_init__()
        self.check_whole("threads", 1, MOST_SPEEDS)

    def speeds(self) -> tuple[float, ...]:
        return tuple(float(n) for n in range(1, int(self.threads) + 1))
