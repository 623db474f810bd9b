"""SimPy with absolute times, and calls that can be taken back."""

from __future__ import annotations

from heapq import heappush

import numpy as np
import simpy


class AbsoluteEnvironment(simpy.Environment):
    """A SimPy environment that can also schedule at an absolute time.

    SimPy's `timeout(delay)` happens at `now + delay`, which is not always the float that `delay` was computed from.
    """

    def at(self, time: float, priority: int) -> simpy.Event:
        """An event that happens at `time`, after those of a smaller priority."""
        event = self.event()
        event._ok, event._value = True, None
        heappush(self._queue, (time, priority, next(self._eid), event))
        return event

    def settle(self, priority: int) -> None:
        """Let happen what is due now with a smaller priority: all that follows from what has happened already."""
        while self._queue and self._queue[0][0] == self.now and self._queue[0][1] < priority:
            self.step()


class Timer:
    """At most one pending call; arming it again replaces the last."""

    def __init__(self, env: AbsoluteEnvironment, action, priority: int):
        self._env, self._action, self._priority = env, action, priority
        self._pending, self._time, self._held = None, np.inf, False

    def arm(self, time: float) -> None:
        self._cancel()
        self._time = time
        if time < np.inf and not self._held:
            self._pending = self._env.at(time, self._priority)
            self._pending.callbacks.append(self._fire)

    def hold(self) -> None:
        """Nothing happens, however due, until `go_on`."""
        self._cancel()
        self._held = True

    def go_on(self) -> None:
        self._held = False
        self.arm(self._time)

    def _cancel(self) -> None:
        if self._pending is not None:
            self._pending.callbacks = [lambda _: None]
        self._pending = None

    def _fire(self, _) -> None:
        self._pending = None
        self._action()
