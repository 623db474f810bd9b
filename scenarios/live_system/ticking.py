"""Ticks of a live system: when the next one is due, and what it collected."""

from __future__ import annotations

import time

from pmtwin.scenarios.live_system.declaration import Live
from pmtwin.sim.errors import InputError

MOST_LOST = 100
"""Ticks in a row without indicators after which the system counts as silent."""


class Ticking:
    """The ticks of a live system, one after the other.

    Args:
        live: the system.
    """

    def __init__(self, live: Live):
        self._live = live
        self._due: float | None = None
        self._stamp = time.time()

    def next(self) -> dict[str, float]:
        """Wait for the next tick with indicators, and return these.

        Raises:
            InputError: if the clock runs back, or too many ticks in a row are lost.
        """
        for _ in range(MOST_LOST):
            self._wait()
            collected = self._live.collected()
            self._check_clock()
            if collected is not None:
                return collected
        allowed = f"indicators in at least one of {MOST_LOST} ticks"
        raise InputError(f"{self._live.name}: collect()", "None", allowed, wrong="is all that came")

    def _wait(self) -> None:
        """Sleep until the tick is due; ticks that passed meanwhile are left out."""
        tick_s, now = self._live.tick_s, time.monotonic()
        if not tick_s:
            return
        due = now + tick_s if self._due is None or self._due + tick_s < now else self._due + tick_s
        time.sleep(max(due - now, 0.0))
        self._due = due

    def _check_clock(self) -> None:
        now = time.time()
        if now < self._stamp:
            back = f"{self._stamp - now:.6f} s"
            raise InputError("clock", back, "a clock that never runs back", wrong="backwards since the last tick")
        self._stamp = now


def first_ticks(live: Live, count: int) -> list[dict[str, float]]:
    """Indicators of the first ticks, at the setting that the system has."""
    ticking = Ticking(live)
    return [ticking.next() for _ in range(count)]
