"""Servers behind a queue. A request may hold its server while it visits further stations, as in a pool of workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.pending import idles
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations.ordered import insert
from pmtwin.sim.stations.queue import Line, change_busy, serve_next, serve_waiting
from pmtwin.sim.stations.station import SERVERS, Draw, Process, Station, Times, Visitor, class_value

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment


@dataclass(frozen=True, kw_only=True)
class Servers(Station):
    """Identical servers, each with one request at a time; the queue before them chooses the next request.

    Args:
        servers: number of servers. A surplus server leaves when its request is done.
        mean_ns: mean service time, one number for all classes or one for each; None: no service, the servers are held.
        cov: coefficient of variation of the service times, gamma distributed; 1 is exponential, 0 constant.
        hold: name of a later station; a request holds its server until it leaves that station.
    """

    behaviour = SERVERS

    servers: int
    mean_ns: Times | None = None
    cov: Times = 1.0
    hold: str | None = None

    def __post_init__(self):
        self.check_whole("servers", 1, 1_000_000)
        if self.mean_ns is None and self.hold is None:
            raise InputError(f"{self.name}: mean_ns", None, "a service time in ns, or a later station in `hold`")
        if self.mean_ns is not None:
            self.check("mean_ns", 1e-3, 1e15, "ns")
        self.check("cov", 0.0, 10.0)

    def drawn(self, visitor: int) -> tuple[float, float] | None:
        if self.mean_ns is None:
            return None
        return class_value(self.mean_ns, visitor), class_value(self.cov, visitor)

    def limit(self) -> int:
        return int(self.servers)

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return Pool(env, draw if self.mean_ns is not None else None, priority, self.servers)


class Pool(Process[Servers]):
    """Servers in engine `simpy`; `queue` chooses the next request."""

    queue: Line

    def __init__(self, env: AbsoluteEnvironment, draw: Draw | None, priority: int, servers: int):
        self._env, self._draw, self._priority, self.servers = env, draw, priority, servers
        self.busy = 0
        self._since, self.busy_ns, self.idle_ns = 0.0, 0.0, 0.0

    def claim(self) -> bool:
        """Take a server; False if none is free."""
        if self.busy >= self.servers:
            return False
        self._change_busy(1)
        return True

    def release(self) -> None:
        """Free a server; unless it is surplus, it takes the next waiting request."""
        if self.queue.idles:
            self._change_busy(-1)
            self.serve_waiting()
        elif self.busy > self.servers or not self.queue.serve_next():
            self._change_busy(-1)

    def serve_waiting(self) -> None:
        """Give free servers to waiting requests, until the policy leaves one idle."""
        while self.busy < self.servers and self.queue.serve_next():
            self._change_busy(1)

    def open_window(self) -> None:
        """Begin a window: free servers, which were added or left idle, take waiting requests."""
        self.count()
        self.busy_ns = self.idle_ns = 0.0
        self.serve_waiting()

    def count(self) -> None:
        """Bring the busy and idle times up to date; a surplus server is never idle."""
        elapsed, self._since = self._env.now - self._since, self._env.now
        self.busy_ns += self.busy * elapsed
        self.idle_ns += max(self.servers - self.busy, 0) * elapsed

    def _change_busy(self, by: int) -> None:
        self.count()
        self.busy += by

    def visit(self, request: Visitor):
        if self._draw is not None:
            yield self._env.at(self._env.now + self._draw(request.c, request.index), self._priority)

    def set(self, declaration: Servers) -> None:
        self.servers = declaration.servers


@njit(cache=True, inner=True)
def join_servers(plan, state, station, slot):
    """Start the service of a request that has a server."""
    c = state.slot_class[slot]
    row = station * plan.classes + c
    service = gap_ns(plan.quantiles, row, state.streams[row], state.slot_index[slot])
    insert(state, station, state.now + service, slot)
    state.end[station] = state.keys[station, state.head[station]]


@njit(cache=True, inner=True)
def leave_servers(state, station):
    """Remove and return the request whose service ends first."""
    slot = state.slots[station, state.head[station]]
    state.head[station] += 1
    state.end[station] = state.keys[station, state.head[station]]
    return slot


@njit(cache=True, _nrt=False, inner=True)
def release_server(plan, state, decisions, station):
    """Free a server; unless it is surplus, it takes the next waiting request."""
    if state.busy[station] <= plan.limit[station] and state.waiting[station - 1]:
        if not idles(decisions, plan, station - 1):
            serve_next(plan, state, decisions, station - 1)
            return
        change_busy(plan, state, station, -1)
        serve_waiting(plan, state, decisions, station)
    else:
        change_busy(plan, state, station, -1)


@njit(cache=True, _nrt=False, forceinline=True)
def first_free(free, now):
    """Index of the server for a request that arrives now, where service times are known at arrival.

    This replaces a queue: the request starts at the later of `now` and `free[server]`.

    Args:
        free: shape (servers,), time at which each server has finished all earlier requests.
    """
    server = 0
    for other in range(free.size):
        if free[other] <= now:  # any idle server will do
            return other
        if free[other] < free[server]:
            server = other
    return server
