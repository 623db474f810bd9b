"""SimPy with absolute times, and calls that can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappush

import numpy as np
import simpy
from simpy.events import NORMAL


@contextmanager
def errors_as_raised() -> Iterator[None]:
    """Context manager: an error of a process leaves as it was raised; SimPy raises a copy, without its lines."""
    try:
        yield
    except Exception as copy:
        if copy.__cause__ is None:
            raise
        raise copy.__cause__ from None


class AbsoluteEnvironment(simpy.Environment):
    """A SimPy environment that can also schedule at an absolute time, and let an event happen at once.

    SimPy's `timeout(delay)` happens at `now + delay`, which is not always the float that `delay` was computed from.
    """

    def at(self, time: float, priority: int) -> simpy.Event:
        """An event that happens at `time`, after those of a smaller priority."""
        event = simpy.Event(self)
        event._ok, event._value = True, None
        heappush(self._queue, (time, priority, next(self._eid), event))  # type: ignore[misc]  # SimPy's stubs: Event has no order, which the number before it settles
        return event

    def happen(self, event: simpy.Event) -> None:
        """Let an event happen now, as the last thing that its caller does.

        It is what `event.succeed()` does, without the way through the queue if it would be the next there.
        """
        if self._queue and self._queue[0][0] == self._now and self._queue[0][1] <= NORMAL:
            event.succeed()
            return
        event._ok, event._value = True, None
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]  # as SimPy marks what has happened
        for callback in callbacks:
            callback(event)

    def run_to(self, time: float) -> None:
        """Run all events until a time, those of that instant too; then it is that time."""
        while self.peek() <= time:
            self.step()
        self._now = time

    def settle(self, priority: int) -> None:
        """Run all events of this instant with a smaller priority: the consequences of earlier events."""
        while self._queue and self._queue[0][0] == self.now and self._queue[0][1] < priority:
            self.step()


class Timer:
    """A timer with at most one pending call; arming it again replaces the last.

    A call that is put off keeps its event, and looks at the time again when that happens: this is the rule among
    requests that share a server, and an event costs more than all else here.
    """

    def __init__(self, env: AbsoluteEnvironment, action, priority: int):
        self._env, self._action, self._priority = env, action, priority
        self._pending: simpy.Event | None = None
        self._expected, self._time, self._held = np.inf, np.inf, False

    def arm(self, time: float) -> None:
        self._time = time
        if self._held or (self._pending is not None and self._expected <= time):
            return
        self._cancel()
        if time < np.inf:
            pending = self._env.at(time, self._priority)
            self._pending, self._expected = pending, time
            pending.callbacks.append(self._fire)

    def hold(self) -> None:
        """Holds all calls, however due, until `go_on`."""
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
        if self._time > self._env.now:
            self.arm(self._time)
        else:
            self._action()
