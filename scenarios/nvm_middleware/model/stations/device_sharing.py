"""The device as a shared station: the population of all kinds determines the speed of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.service.occupancy import packed, packed_one, speeds_of
from pmtwin.scenarios.nvm_middleware.model.stations.middleware_state import in_device
from pmtwin.sim.compiling import njit
from pmtwin.sim.load.workload import Kind
from pmtwin.sim.stations.ordered import NEVER, insert
from pmtwin.sim.stations.sharing import Sharing, advanced, end_of
from pmtwin.sim.stations.station import Process, Station

if TYPE_CHECKING:
    import simpy

    from pmtwin.scenarios.nvm_middleware.model.model import Model
    from pmtwin.scenarios.nvm_middleware.model.stations.host_processors import _HostProcessors
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
    from pmtwin.sim.stations.station import Draw


_ONE = np.uint32(1)


@dataclass(frozen=True, kw_only=True, eq=False)
class DeviceSharing(Station):
    """Processor sharing of the model's kinds of operation.

    Args:
        model: model with the table of speeds by population (`pmtwin.scenarios.nvm_middleware.model.service.occupancy`).
    """

    model: Model

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int) -> _Device:
        return _Device(env, priority, self.model)


class _Device(Sharing, Process):
    """The device; `population`: number of operations of each kind in it. Its engine sets `processors`, of the host."""

    processors: _HostProcessors

    def __init__(self, env: AbsoluteEnvironment, priority: int, model: Model):
        super().__init__(env, len(model.kinds), priority)
        self._model = model
        self.population = (0,) * len(model.kinds)
        self._speeds: dict[tuple[int, ...], list[float]] = {}

    def arrange(self, places: Sequence[int | None]) -> None:
        super().arrange(places)
        self.population = tuple(0 if place is None else self.population[place] for place in places)

    def set_model(self, model: Model) -> None:
        """Continue with another model, whose kinds of operation include the present ones."""
        self.advance()
        places = {kind: place for place, kind in enumerate(self._model.kinds)}
        self._model, self._speeds = model, {}
        self.arrange([places.get(kind) for kind in model.kinds])
        self.population_changed(0, 0)
        self.arm()

    def serve(self, kind: Kind, work_ns: float) -> simpy.Event:
        """An event at the end of an operation that would take `work_ns` alone in the device."""
        return self.join(self._model.kinds.index(kind), work_ns)

    def row(self) -> list[float]:
        """The speeds of the present population, then their inverses."""
        row = self._speeds.get(self.population)
        if row is None:
            row = speeds_of(self._model.records, self._model.rows, np.array(self.population)).tolist()
            self._speeds[self.population] = row
        return row

    def population_changed(self, kind: int, by: int) -> None:
        before = self.population
        self.population = (*before[:kind], before[kind] + by, *before[kind + 1 :])
        self.processors.set_held(sum(self.population) if self._model.plain.access_holds_cpu else 0)


class Device(NamedTuple):
    """The device between two events, in compiled code; the virtual clocks are in the state.

    Fields:
        last: time in ns of the last update of the virtual clocks.
        present: number of operations in the device.
        population: packed numbers of operations by kind (`pmtwin.scenarios.nvm_middleware.model.service.occupancy`).
        end: time in ns at which the next operation leaves.
        kind: kind of that operation.
    """

    last: float
    present: int
    population: int
    end: float
    kind: int


@njit(cache=True, forceinline=True, inner=True)
def load_device(st):
    """The device as the last window left it, before it is scheduled."""
    return Device(st.device_last, in_device(st), packed(st.population), NEVER, np.uint32(0))


@njit(cache=True, forceinline=True, inner=True)
def save_device(st, device):
    st.device_last = device.last


@njit(cache=True, forceinline=True, inner=True)
def advance_device(st, device, row, now):
    """Update the virtual clocks; `row`: the population's row in the table of speeds."""
    elapsed = now - device.last
    for k in range(st.virtual.shape[0]):
        st.virtual[k] = advanced(st.virtual[k], elapsed, row.speeds[k])
    return Device(now, device.present, device.population, device.end, device.kind)


@njit(cache=True, forceinline=True, inner=True)
def schedule_device(st, device, row):
    """Record the time and kind of the next operation to leave; at equal times the first kind."""
    best, kind = NEVER, np.uint32(0)
    kinds = st.virtual.shape[0]
    for k in range(kinds):
        key = st.keys[1 + k, st.head[1 + k]]
        end = end_of(device.last, key, st.virtual[k], row.speeds[kinds + k])
        kind = np.uint32(k) if end < best else kind
        best = min(best, end)
    return Device(device.last, device.present, device.population, best, kind)


@njit(cache=True, forceinline=True, inner=True)
def join_device(st, device, slot):
    """Let an operation enter; the virtual clocks must be up to date."""
    kind = st.slot_kind[slot]
    st.population[kind] += _ONE
    insert(st, 1 + kind, st.virtual[kind] + st.slot_device_work[slot], slot)
    population = device.population + packed_one(kind, st.population.shape[0])
    return Device(device.last, device.present + 1, population, device.end, device.kind)


@njit(cache=True, forceinline=True, inner=True)
def leave_device(st, device):
    """Remove the operation whose end has come; returns its slot. The virtual clocks must be up to date."""
    kind = device.kind
    station = _ONE + kind
    head = st.head[station]
    st.virtual[kind] = st.keys[station, head]
    st.head[station] = head + _ONE
    st.population[kind] -= _ONE
    population = device.population - packed_one(kind, st.population.shape[0])
    return st.slots[station, head], Device(device.last, device.present - 1, population, device.end, kind)
