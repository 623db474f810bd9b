"""The stations of engine `simpy`: servers whose requests share them, each with a virtual clock.

A virtual clock counts the work that every request in service has received. It is brought up to date whenever the speed
or the set of requests changes, and only then, so that both engines round alike.
"""

from __future__ import annotations

from bisect import insort_right
from heapq import heappush

import numpy as np
import simpy

from pmtwin.sim.host import LEAST_SPEED
from pmtwin.sim.model import Model
from pmtwin.sim.populations import speeds_of
from pmtwin.sim.speeds import KINDS

DEVICE_END, CPU_END, SUBMISSION = 2, 3, 4
"""Order of what is due at the same instant: first all that follows from what has already happened (SimPy's own
priorities are 0 and 1), then ends on the device, ends on the processors, submissions (interactive before batch)."""


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


class _Timer:
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


class Processors:
    """The host's hardware threads: every request on them progresses at the speed that the number of threads allows."""

    def __init__(self, env: AbsoluteEnvironment, model: Model, threads: int):
        self._env, self._threads, self._held = env, threads, 0
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._last = self._virtual = 0.0
        self._requests: list[tuple[float, simpy.Event]] = []
        self.timer = _Timer(env, self._end, CPU_END)

    def work(self, amount_ns: float) -> simpy.Event:
        """An event that happens when `amount_ns` of work at full speed are done."""
        self._advance()
        done = self._env.event()
        insort_right(self._requests, (self._virtual + amount_ns, done), key=lambda request: request[0])
        self._arm()
        return done

    def set_threads(self, threads: int) -> None:
        """The number of threads that want a hardware thread, from now on."""
        if threads != self._threads:
            self._advance()
            self._threads = threads
            self._arm()

    def set_held(self, held: int) -> None:
        """The number of hardware threads that accesses to the device keep from requests here, from now on."""
        if held != self._held:
            self._advance()
            self._held = held
            self._arm()

    def set_model(self, model: Model) -> None:
        """Go on as another host."""
        self._advance()
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._arm()

    def _advance(self) -> None:
        self._virtual += (self._env.now - self._last) * self._speed()[0]
        self._last = self._env.now

    def _speed(self) -> tuple[float, float]:
        """Of one request, and its inverse: those who compute share what accesses to the device leave."""
        rate, inverse = self._rate[self._threads], self._inverse_rate[self._threads]
        others = self._threads - self._held
        if self._held == 0 or others <= 0:
            return rate, inverse
        speed = max(self._threads * rate - self._held, LEAST_SPEED) / others
        return speed, 1.0 / speed

    def _arm(self) -> None:
        if self._requests:
            left = max(0.0, self._requests[0][0] - self._virtual)
            self.timer.arm(self._last + left * self._speed()[1])
        else:
            self.timer.arm(np.inf)

    def _end(self) -> None:
        self._virtual, done = self._requests.pop(0)
        self._last = self._env.now
        self._arm()
        done.succeed()


class Device:
    """The device: operations of four kinds, each kind at the speed that the population allows."""

    def __init__(self, env: AbsoluteEnvironment, model: Model, processors: Processors):
        self._env, self._model, self._processors = env, model, processors
        self._last, self._virtual = 0.0, [0.0] * KINDS
        self._population = (0,) * KINDS
        self._speeds: dict[tuple[int, ...], list[float]] = {}
        self._operations: list[list[tuple[float, simpy.Event]]] = [[] for _ in range(KINDS)]
        self.timer = _Timer(env, self._end, DEVICE_END)

    def access(self, kind: int, work_ns: float) -> simpy.Event:
        """An event that happens when an operation of `kind` that takes `work_ns` alone is done."""
        self._advance()
        done = self._env.event()
        insort_right(self._operations[kind], (self._virtual[kind] + work_ns, done), key=lambda entry: entry[0])
        self._change(kind, 1)
        return done

    def set_model(self, model: Model) -> None:
        """Go on as another device, or under other operations."""
        self._advance()
        self._model, self._speeds = model, {}
        self._change(0, 0)

    def _row(self) -> list[float]:
        """Speeds of the present population, then their inverses."""
        if self._population not in self._speeds:
            row = speeds_of(self._model.records, self._model.rows, np.array(self._population))
            self._speeds[self._population] = row.tolist()
        return self._speeds[self._population]

    def _advance(self) -> None:
        elapsed, speeds = self._env.now - self._last, self._row()
        self._virtual = [clock + elapsed * speeds[k] for k, clock in enumerate(self._virtual)]
        self._last = self._env.now

    def _change(self, kind: int, by: int) -> None:
        self._population = tuple(count + by * (k == kind) for k, count in enumerate(self._population))
        self._processors.set_held(sum(self._population) if self._model.plain.access_holds_cpu else 0)
        self.timer.arm(min(self._end_of(k) for k in range(KINDS)))

    def _end_of(self, kind: int) -> float:
        if not self._operations[kind]:
            return np.inf
        left = max(0.0, self._operations[kind][0][0] - self._virtual[kind])
        return self._last + left * self._row()[KINDS + kind]

    def _end(self) -> None:
        kind = min(range(KINDS), key=self._end_of)
        self._advance()
        self._virtual[kind], done = self._operations[kind].pop(0)
        self._change(kind, -1)
        done.succeed()
