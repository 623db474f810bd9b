"""The host's hardware threads: every thread on them progresses at the speed that the number of threads allows.

Threads that access the device may keep their hardware threads from the others. A thread can want a hardware thread
without a request: workers that poll, clients that spin. Both engines read the speeds from `pmtwin.sim.host.Host`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import simpy

from pmtwin.sim.compiling import njit
from pmtwin.sim.host import LEAST_SPEED, MAX_RUNNABLE
from pmtwin.sim.stations.middleware_state import CPU, CPU_LAST, CPU_VIRTUAL, NOW, in_device
from pmtwin.sim.stations.sharing import Sharing, advanced, end_of
from pmtwin.sim.stations.station import Process, Station

if TYPE_CHECKING:
    from pmtwin.sim.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class HostProcessors(Station):
    """Processors shared by all threads that want one.

    Args:
        model: its tables of speeds over the number of threads.
    """

    model: Model

    def process(self, env, draw, priority: int) -> _HostProcessors:
        return _HostProcessors(env, priority, self.model)


class _HostProcessors(Sharing, Process):
    def __init__(self, env, priority: int, model: Model):
        super().__init__(env, 1, priority)
        self._threads, self._held = 0, 0
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._row = self._speeds()

    def work(self, amount_ns: float) -> simpy.Event:
        """An event that happens when `amount_ns` of work at full speed are done."""
        return self.join(0, amount_ns)

    def set_threads(self, threads: int) -> None:
        """The number of threads that want a hardware thread, from now on."""
        if threads != self._threads:
            self.advance()
            self._threads = threads
            self._changed()

    def set_held(self, held: int) -> None:
        """The number of hardware threads that accesses to the device keep from requests on them, from now on."""
        if held != self._held:
            self.advance()
            self._held = held
            self._changed()

    def set_model(self, model: Model) -> None:
        """Go on as another host."""
        self.advance()
        self._rate, self._inverse_rate = model.plain.rate, model.plain.inverse_rate
        self._changed()

    def row(self) -> tuple[float, float]:
        """Speed of one request, and its inverse."""
        return self._row

    def _changed(self) -> None:
        self._row = self._speeds()
        self.arm()

    def _speeds(self) -> tuple[float, float]:
        """Those who compute share what accesses to the device leave."""
        rate, inverse = self._rate[self._threads], self._inverse_rate[self._threads]
        others = self._threads - self._held
        if self._held == 0 or others <= 0:
            return rate, inverse
        speed = max(self._threads * rate - self._held, LEAST_SPEED) / others
        return speed, 1.0 / speed


@njit(cache=True)
def cpu_speed(model, st):
    """Of one request on the processors: (speed, its inverse)."""
    held = np.float64(0.0)
    if model.access_holds_cpu:
        held = np.float64(in_device(st))
    others = np.float64(st.cpu_threads) - held
    if held == 0.0 or others <= 0.0:
        return model.rate[st.cpu_threads], model.inverse_rate[st.cpu_threads]
    speed = max(np.float64(st.cpu_threads) * model.rate[st.cpu_threads] - held, LEAST_SPEED) / others
    return speed, 1.0 / speed


@njit(cache=True)
def advance_cpu(model, st):
    elapsed = st.clock[NOW] - st.clock[CPU_LAST]
    st.clock[CPU_VIRTUAL] = advanced(st.clock[CPU_VIRTUAL], elapsed, cpu_speed(model, st)[0])
    st.clock[CPU_LAST] = st.clock[NOW]


@njit(cache=True)
def set_cpu_threads(model, st):
    """The number of threads that want a hardware thread has changed: from now on, another speed."""
    threads = max(st.busy[0] + st.busy[1], model.spinning)
    if model.polls:
        threads = max(st.pools[0], st.busy[0]) + max(st.pools[1], st.busy[1])
    threads = min(threads, MAX_RUNNABLE)
    if threads != st.cpu_threads:
        advance_cpu(model, st)
        st.cpu_threads = threads
        schedule_cpu(model, st)


@njit(cache=True)
def schedule_cpu(model, st):
    """Note when the next request leaves the processors."""
    key, inverse = st.keys[CPU, st.head[CPU]], cpu_speed(model, st)[1]
    st.cpu_end = end_of(st.clock[CPU_LAST], key, st.clock[CPU_VIRTUAL], inverse)
