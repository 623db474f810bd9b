"""SimPy with absolute times, and errors as they were raised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heappush

import simpy
from simpy.events import NORMAL


@contextmanager
def errors_as_raised() -> Iterator[None]:
    """Context manager: raise an error of a process as it was raised; SimPy raises a copy without its traceback."""
    try:
        yield
    except Exception as copy:
        if copy.__cause__ is None:
            raise
        raise copy.__cause__ from None


class AbsoluteEnvironment(simpy.Environment):
    """A SimPy environment that can also schedule at an absolute time, and process an event at once.

    SimPy's `timeout(delay)` happens at `now + delay`, which is not always the float that `delay` was computed from.
    """

    def at(self, time: float, priority: int) -> simpy.Event:
        """An event that happens at `time`, after those of a smaller priority."""
        event = simpy.Event(self)
        event._ok, event._value = True, None
        heappush(self._queue, (time, priority, next(self._eid), event))  # type: ignore[misc]  # SimPy's stubs: Event has no order, which the number before it settles
        return event

    def happen(self, event: simpy.Event) -> None:
        """Like `event.succeed()`, but without the queue if the event would be the next in it.

        The caller must do nothing afterwards.
        """
        if self._queue and self._queue[0][0] == self._now and self._queue[0][1] <= NORMAL:
            event.succeed()
            return
        event._ok, event._value = True, None
        callbacks, event.callbacks = event.callbacks, None  # type: ignore[assignment]  # as SimPy marks what has happened
        for callback in callbacks:
            callback(event)

    def run_to(self, time: float) -> None:
        """Run all events up to and including a time, and set the clock to it."""
        while self.peek() <= time:
            self.step()
        self._now = time

    def settle(self, priority: int) -> None:
        """Run all events of the present instant whose priority is below `priority`: consequences of earlier events."""
        while self._queue and self._queue[0][0] == self.now and self._queue[0][1] < priority:
            self.step()
