"""The host's hardware threads as a shared station, with a speed that depends on the number of threads.

Threads that access the device may hold their hardware threads meanwhile. Threads without a request may also want a
hardware thread: polling workers and spinning clients. Both engines read the speeds from `pmtwin.sim.host.station.Host`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.stations.middleware_state import CPU, in_device
from pmtwin.sim.compiling import njit
from pmtwin.sim.host.station import LEAST_SPEED, MAX_RUNNABLE
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.sharing import Sharing, advanced, end_of
from pmtwin.sim.stations.station import Process, Station

if TYPE_CHECKING:
    import simpy

    from pmtwin.scenarios.nvm_middleware.model.model import Model
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
    from pmtwin.sim.stations.station import Draw


@dataclass(frozen=True, kw_only=True, eq=False)
class HostProcessors(Station):
    """Processors shared by all threads that want one.

    Args:
        model: model with the tables of speeds over the number of threads.
    """

    model: Model

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int) -> _HostProcessors:
        return _HostProcessors(env, priority, self.model)


class _HostProcessors(Sharing, Process):
    def __init__(self, env: AbsoluteEnvironment, priority: int, model: Model):
        super().__init__(env, 1, priority)
        self._threads, self._held = 0, 0
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._row = self._speeds()

    def work(self, amount_ns: float) -> simpy.Event:
        """An event that happens when `amount_ns` of work at full speed are done."""
        return self.join(0, amount_ns)

    def set_threads(self, threads: int) -> None:
        """Set the number of threads that want a hardware thread, from now on."""
        if threads != self._threads:
            self.advance()
            self._threads = threads
            self._changed()

    def set_held(self, held: int) -> None:
        """Set the number of hardware threads that accesses to the device hold, from now on."""
        if held != self._held:
            self.advance()
            self._held = held
            self._changed()

    def set_model(self, model: Model) -> None:
        """Continue with another model's host."""
        self.advance()
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._changed()

    def row(self) -> tuple[float, float]:
        """(speed of one request, its inverse)."""
        return self._row

    def _changed(self) -> None:
        self._row = self._speeds()
        self.arm()

    def _speeds(self) -> tuple[float, float]:
        """Speeds of computing requests, which share the hardware threads that accesses to the device leave."""
        rate, inverse = self._rate[self._threads], self._inverse_rate[self._threads]
        computing = self._threads - self._held
        if self._held == 0 or computing <= 0:
            return rate, inverse
        speed = max(self._threads * rate - self._held, LEAST_SPEED) / computing
        return speed, 1.0 / speed


class Processors(NamedTuple):
    """The processors between two events, in compiled code.

    Fields:
        last: time in ns of the last update of the virtual clock.
        virtual: the virtual clock, in ns at full speed.
        threads: number of threads that want a hardware thread.
        speed, inverse: speed of one request, and its inverse.
        end: time in ns at which the next request leaves.
    """

    last: float
    virtual: float
    threads: int
    speed: float
    inverse: float
    end: float


@njit(cache=True, forceinline=True, inner=True)
def load_processors(model, st):
    """The processors as the last window left them."""
    speed, inverse = _speed(model, st.cpu_threads, in_device(st))
    return schedule_processors(st, Processors(st.cpu_last, st.cpu_virtual, st.cpu_threads, speed, inverse, NEVER))


@njit(cache=True, forceinline=True, inner=True)
def save_processors(st, cpu):
    st.cpu_last, st.cpu_virtual, st.cpu_threads = cpu.last, cpu.virtual, cpu.threads


@njit(cache=True, forceinline=True, inner=True)
def advance_processors(cpu, now):
    """Update the virtual clock."""
    virtual = advanced(cpu.virtual, now - cpu.last, cpu.speed)
    return Processors(now, virtual, cpu.threads, cpu.speed, cpu.inverse, cpu.end)


@njit(cache=True, forceinline=True, inner=True)
def schedule_processors(st, cpu):
    """Record the time at which the next request leaves."""
    end = end_of(cpu.last, st.keys[CPU, st.head[CPU]], cpu.virtual, cpu.inverse)
    return Processors(cpu.last, cpu.virtual, cpu.threads, cpu.speed, cpu.inverse, end)


@njit(cache=True, forceinline=True, inner=True)
def leave_processors(st, cpu):
    """Remove the request whose end has come; returns its slot."""
    head = st.head[CPU]
    st.head[CPU] = head + np.uint32(1)
    virtual = st.keys[CPU, head]
    return st.slots[CPU, head], Processors(cpu.end, virtual, cpu.threads, cpu.speed, cpu.inverse, cpu.end)


@njit(cache=True, forceinline=True, inner=True)
def threads_wanted(model, st):
    """The number of threads that want a hardware thread."""
    threads = max(st.busy[0] + st.busy[1], model.spinning)
    if model.polls:
        threads = max(st.pools[0], st.busy[0]) + max(st.pools[1], st.busy[1])
    return np.uint32(min(threads, MAX_RUNNABLE))


@njit(cache=True, forceinline=True, inner=True)
def share_processors(model, cpu, threads, held):
    """Set the numbers of threads that want a hardware thread and of held ones; the clock must be up to date."""
    speed, inverse = _speed(model, threads, held)
    return Processors(cpu.last, cpu.virtual, threads, speed, inverse, cpu.end)


@njit(cache=True, forceinline=True, inner=True)
def _speed(model, threads, held):
    """Speed of one request on the processors: (speed, its inverse)."""
    if not model.access_holds_cpu or held == 0 or threads <= held:
        return model.rate[threads], model.inverse_rate[threads]
    wanted, kept = np.float64(threads), np.float64(held)
    speed = max(wanted * model.rate[threads] - kept, LEAST_SPEED) / (wanted - kept)
    return speed, 1.0 / speed
