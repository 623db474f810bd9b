"""Processor sharing: all requests at a station progress at the same speed, which depends on their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations.ordered import insert
from pmtwin.sim.stations.sharing import Sharing, advanced, end_of
from pmtwin.sim.stations.station import MOST_SPEEDS, SHARING, Draw, Process, Station, Times, Visitor, class_value

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


@dataclass(frozen=True, kw_only=True)
class SharedStation(Station):
    """Base of stations that requests share; `speeds` gives the total speed for each number of requests.

    Args:
        mean_ns: mean time that a request takes at speed 1, one number for all classes or one for each.
        cov: coefficient of variation of these times, gamma distributed; 1 is exponential, 0 constant.
    """

    behaviour = SHARING

    mean_ns: Times
    cov: Times = 1.0

    def __post_init__(self):
        self.check("mean_ns", 1e-3, 1e15, "ns")
        self.check("cov", 0.0, 10.0)

    def drawn(self, visitor: int) -> tuple[float, float]:
        return class_value(self.mean_ns, visitor), class_value(self.cov, visitor)

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return _Shared(env, draw, priority, self.speeds())


@dataclass(frozen=True, kw_only=True)
class ProcessorSharing(SharedStation):
    """A server, or a device, that all requests share equally.

    Args:
        speed: work done per ns by all requests together, with 1, 2, ... of them; the last value holds for more. (1,)
            is a single server.
    """

    speed: tuple[float, ...] = (1.0,)

    def __post_init__(self):
        super().__post_init__()
        if not 1 <= len(self.speed) <= MOST_SPEEDS:
            raise InputError(f"{self.name}: speed", self.speed, f"1 to {MOST_SPEEDS} numbers")
        self.check("speed", 1e-9, 1e9)

    def speeds(self) -> tuple[float, ...]:
        return tuple(float(speed) for speed in self.speed)


class _Shared(Sharing, Process[SharedStation]):
    def __init__(self, env: AbsoluteEnvironment, draw: Draw, priority: int, speeds: tuple[float, ...]):
        super().__init__(env, 1, priority)
        self._draw, self._speeds, self.busy = draw, speeds, 0

    def visit(self, request: Visitor):
        yield self.join(0, self._draw(request.c, request.index))

    def row(self) -> tuple[float, float]:
        if not self.busy:
            return 0.0, 0.0
        together = self._speeds[min(self.busy, len(self._speeds)) - 1]
        return together / self.busy, self.busy / together

    def population_changed(self, kind: int, by: int) -> None:
        self.busy += by

    def set(self, declaration: SharedStation) -> None:
        self.advance()
        self._speeds = declaration.speeds()
        self.arm()


@njit(cache=True, inner=True)
def advance_sharing(plan, state, station):
    """Bring the station's virtual clock up to date."""
    present = state.busy[station]
    if present > 0:
        together = plan.speeds[station, min(present, plan.limit[station]) - 1]
        elapsed = state.now - state.last[station]
        state.virtual[station] = advanced(state.virtual[station], elapsed, together / present)
    state.last[station] = state.now


@njit(cache=True, inner=True)
def schedule_sharing(plan, state, station):
    """Set the time at which the next request leaves the station."""
    present = state.busy[station]
    if present > 0:
        together = plan.speeds[station, min(present, plan.limit[station]) - 1]
        key = state.keys[station, state.head[station]]
        state.end[station] = end_of(state.last[station], key, state.virtual[station], present / together)
    else:
        state.end[station] = state.keys[station, state.head[station]]  # NEVER, as there is no request


@njit(cache=True, inner=True)
def join_sharing(plan, state, station, slot):
    """Add a request, whose work is drawn."""
    c = state.slot_class[slot]
    row = station * plan.classes + c
    work = gap_ns(plan.quantiles, row, state.streams[row], state.slot_index[slot])
    advance_sharing(plan, state, station)
    state.busy[station] += 1
    insert(state, station, state.virtual[station] + work, slot)
    schedule_sharing(plan, state, station)


@njit(cache=True, inner=True)
def leave_sharing(plan, state, station):
    """Remove and return the request whose work is done."""
    head = state.head[station]
    slot = state.slots[station, head]
    state.virtual[station], state.last[station] = state.keys[station, head], state.now
    state.head[station] += 1
    state.busy[station] -= 1
    schedule_sharing(plan, state, station)
    return slot
