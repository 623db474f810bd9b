"""The device: operations share it, each kind at the speed that the population of all kinds allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import simpy

from pmtwin.sim.compiling import njit
from pmtwin.sim.populations import speeds_of
from pmtwin.sim.stations.host_processors import advance_cpu, schedule_cpu
from pmtwin.sim.stations.middleware_state import DEVICE_LAST, NOW
from pmtwin.sim.stations.ordered import NEVER, insert
from pmtwin.sim.stations.sharing import Sharing, advanced, end_of
from pmtwin.sim.stations.station import Process, Station
from pmtwin.sim.workload import Kind

if TYPE_CHECKING:
    from pmtwin.sim.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class DeviceSharing(Station):
    """Processor sharing of the model's kinds of operation.

    Args:
        model: its table of speeds by population (`pmtwin.sim.populations`).
    """

    model: Model

    def process(self, env, draw, priority: int) -> _Device:
        return _Device(env, priority, self.model)


class _Device(Sharing, Process):
    """The device; `population` says how many operations of each kind are in it."""

    def __init__(self, env, priority: int, model: Model):
        super().__init__(env, len(model.kinds), priority)
        self._model = model
        self.population = (0,) * len(model.kinds)
        self._speeds: dict[tuple[int, ...], list[float]] = {}
        self.processors = None

    def arrange(self, places: Sequence[int | None]) -> None:
        super().arrange(places)
        self.population = tuple(0 if place is None else self.population[place] for place in places)

    def set_model(self, model: Model) -> None:
        """Go on as another device, or under other operations; those before are among them."""
        self.advance()
        places = {kind: place for place, kind in enumerate(self._model.kinds)}
        self._model, self._speeds = model, {}
        self.arrange([places.get(kind) for kind in model.kinds])
        self.population_changed(0, 0)
        self.arm()

    def serve(self, kind: Kind, work_ns: float) -> simpy.Event:
        """An event that happens when an operation is done that takes so long alone."""
        return self.join(self._model.kinds.index(kind), work_ns)

    def row(self) -> list[float]:
        """Speeds of the present population, then their inverses."""
        row = self._speeds.get(self.population)
        if row is None:
            row = speeds_of(self._model.records, self._model.rows, np.array(self.population)).tolist()
            self._speeds[self.population] = row
        return row

    def population_changed(self, kind: int, by: int) -> None:
        before = self.population
        self.population = (*before[:kind], before[kind] + by, *before[kind + 1 :])
        self.processors.set_held(sum(self.population) if self._model.plain.access_holds_cpu else 0)


@njit(cache=True)
def advance_device(st):
    elapsed = st.clock[NOW] - st.clock[DEVICE_LAST]
    for k in range(st.virtual.shape[0]):
        st.virtual[k] = advanced(st.virtual[k], elapsed, st.speeds[k])
    st.clock[DEVICE_LAST] = st.clock[NOW]


@njit(cache=True)
def schedule_device(st):
    """Note when the next operation leaves the device, and its kind; the first kind of those that leave at once."""
    best, kind = NEVER, 0
    kinds = st.virtual.shape[0]
    for k in range(kinds):
        key = st.keys[1 + k, st.head[1 + k]]
        end = end_of(st.clock[DEVICE_LAST], key, st.virtual[k], st.speeds[kinds + k])
        kind = k if end < best else kind
        best = min(best, end)
    st.device_end = best
    st.device_kind = kind


@njit(cache=True)
def join_device(model, st, slot):
    advance_device(st)
    kind = st.slot_kind[slot]
    if model.access_holds_cpu:
        advance_cpu(model, st)
    st.population[kind] += 1
    if model.access_holds_cpu:
        schedule_cpu(model, st)
    insert(st, 1 + kind, st.virtual[kind] + st.slot_device_work[slot], slot)
