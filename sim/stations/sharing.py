"""Requests that share a server, in both engines: a virtual clock, and the requests in the order of their virtual ends.

A virtual clock counts the work that every request in service has received. Both engines bring it up to date when the
speed or the set of requests changes, and at no other time, so that they round alike.
"""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.timers import Timer

if TYPE_CHECKING:
    import simpy

    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment

_END = itemgetter(0)
"""End of a request in service, in virtual time."""


class Sharing:
    """A shared server in engine `simpy`; all requests of a kind progress at the same speed.

    Args:
        kinds: number of kinds, each with a virtual clock.
        priority: priority of its events among those of the same instant; smaller ones are first.
    """

    def __init__(self, env: AbsoluteEnvironment, kinds: int, priority: int):
        self._env, self._kinds = env, kinds
        self._last, self._virtual = 0.0, [0.0] * kinds
        self._present: list[list[tuple[float, simpy.Event]]] = [[] for _ in range(kinds)]
        self._next = 0
        self.timer = Timer(env, self._end, priority)

    def row(self) -> Sequence[float]:
        """The present speed of each kind, followed by the inverse of each speed."""
        raise NotImplementedError  # each kind of sharing has speeds of its own

    def population_changed(self, kind: int, by: int) -> None:
        """Note that `by` (1 or -1) requests of a kind came; called when the clocks are up to date."""

    def arrange(self, places: Sequence[int | None]) -> None:
        """Reorder the kinds; call `advance` first.

        Args:
            places: for each kind from now on, its old index; None for a new kind.
        """
        self._kinds = len(places)
        self._virtual = [0.0 if place is None else self._virtual[place] for place in places]
        self._present = [[] if place is None else self._present[place] for place in places]

    def join(self, kind: int, work_ns: float) -> simpy.Event:
        """Add a request with `work_ns` of work, in ns at speed 1; returns the event of its end."""
        self.advance()
        done = self._env.event()
        insort_right(self._present[kind], (self._virtual[kind] + work_ns, done), key=_END)
        self.population_changed(kind, 1)
        self.arm()
        return done

    def leave(self, kind: int, done: simpy.Event) -> float:
        """A request leaves before its end; returns the work that is left of it. Its event never happens."""
        self.advance()
        present = self._present[kind]
        place = next(place for place, (_, event) in enumerate(present) if event is done)
        left = max(0.0, present.pop(place)[0] - self._virtual[kind])
        self.population_changed(kind, -1)
        self.arm()
        return left

    def advance(self) -> None:
        """Bring the virtual clocks up to date; called before every change that affects the speeds."""
        now = self._env.now
        elapsed = now - self._last
        if elapsed > 0.0:
            self._virtual = [clock + elapsed * speed for clock, speed in zip(self._virtual, self.row(), strict=False)]
            self._last = now

    def arm(self) -> None:
        """Set the timer to the next end, after a change."""
        row, best = self.row(), np.inf
        for k, present in enumerate(self._present):
            if present:
                left = max(0.0, present[0][0] - self._virtual[k])
                end = self._last + left * row[self._kinds + k]
                if end < best:  # of kinds with the same end, the first
                    best, self._next = end, k
        self.timer.arm(best)

    def _end(self) -> None:
        kind = self._next
        self.advance()
        self._virtual[kind], done = self._present[kind].pop(0)
        self.population_changed(kind, -1)
        self.arm()
        self._env.happen(done)


@njit(cache=True, inner=True)
def advanced(virtual, elapsed, speed):
    """The virtual clock after `elapsed` ns at a speed."""
    return virtual + elapsed * speed


@njit(cache=True, inner=True)
def end_of(last, key, virtual, inverse_speed):
    """Time, in ns, at which a request with virtual end `key` is done; the clock stood at `virtual` at time `last`."""
    return last + max(0.0, key - virtual) * inverse_speed
