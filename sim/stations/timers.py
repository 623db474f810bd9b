"""Timers that can be set again, in engine `simpy`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import simpy

    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


class Timer:
    """A timer with at most one pending call; arming it again replaces the call.

    When the call is postponed, the pending event stays, and sets the timer again when it happens. Postponing is the
    usual case among requests that share a server, and a new event would be the largest cost.
    """

    def __init__(self, env: AbsoluteEnvironment, action: Callable[[], None], priority: int):
        self._env, self._action, self._priority = env, action, priority
        self._pending: simpy.Event | None = None
        self._expected, self._time, self._held = np.inf, np.inf, False

    def arm(self, time: float) -> None:
        """Set the time of the call; infinite: no call."""
        self._time = time
        if self._held or (self._pending is not None and self._expected <= time):
            return
        self._cancel()
        if time < np.inf:
            pending = self._env.at(time, self._priority)
            self._pending, self._expected = pending, time
            pending.callbacks.append(self._fire)

    def hold(self) -> None:
        """Postpone the call, even if it is due, until `go_on`."""
        self._cancel()
        self._held = True

    def go_on(self) -> None:
        """End a `hold`."""
        self._held = False
        self.arm(self._time)

    def _cancel(self) -> None:
        if self._pending is not None:
            self._pending.callbacks = [lambda _: None]
        self._pending = None

    def _fire(self, _: simpy.Event) -> None:
        self._pending = None
        if self._time > self._env.now:
            self.arm(self._time)
        else:
            self._action()
