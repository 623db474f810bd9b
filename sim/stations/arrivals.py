"""Open source: requests arrive from outside, independently of the number of requests in the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.station import ARRIVALS, UNLIMITED, Draw, Source, Station

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


@dataclass(frozen=True, kw_only=True)
class Arrivals(Station):
    """Requests that arrive with independent, gamma-distributed gaps.

    Args:
        rate_ops: requests per second. A new rate holds from the next arrival on.
        cov: coefficient of variation of the gaps; 1: a Poisson process; 0: equal gaps.
    """

    behaviour = ARRIVALS
    source = True

    rate_ops: float
    cov: float = 1.0

    def __post_init__(self):
        self.check("rate_ops", 1e-12, 1e9, "requests/s")
        self.check("cov", 0.0, 10.0)

    def drawn(self, visitor: int) -> tuple[float, float]:
        return 1e9 / self.rate_ops, self.cov

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return _Stream(env, draw, priority)


class _Stream(Source):
    def __init__(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        self._env, self._draw, self._priority = env, draw, priority

    def run(self, c: int, submit: Callable[[int], bool]):
        index, due = 0, 0.0
        while True:
            due += self._draw(c, index)
            yield self._env.at(due, self._priority)
            if not submit(c):
                return
            index += 1

    def answered(self, c: int, index: int) -> None:
        """Arrivals do not wait for answers."""


@njit(cache=True, inner=True)
def schedule_arrival(plan, state, station, c):
    """Set the time of the next arrival of class c."""
    row = station * plan.classes + c
    state.end[station] += gap_ns(plan.quantiles, row, state.streams[row], state.submitted[c])


@njit(cache=True, inner=True)
def arrivals_over(plan, state, station):
    """Whether all `Network.requests` arrivals have come; if so, the source sends no more."""
    if plan.requests == UNLIMITED:
        return False
    submitted = np.uint64(0)
    for c in range(plan.classes):
        if plan.behaviour[plan.source[c]] == ARRIVALS:
            submitted += state.submitted[c]
    if submitted < np.uint64(plan.requests):
        return False
    state.end[station] = NEVER
    return True
