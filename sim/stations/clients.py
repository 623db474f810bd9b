"""Closed source: a fixed number of clients, each with at most one request in the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.stations.ordered import insert
from pmtwin.sim.stations.station import CLIENTS, Draw, Source, Station

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment

_ANY = np.int64(0)
"""In place of a slot: a client that thinks has no request."""


@dataclass(frozen=True, kw_only=True)
class Clients(Station):
    """Clients that send a request, wait until it is answered or rejected, and think before they send the next.

    Args:
        clients: number of clients; all send at time zero. Added clients send at once; a surplus client leaves when it
            would send its next request.
        think_ns: mean think time; 0 for none.
        cov: coefficient of variation of the think times, gamma distributed.
    """

    behaviour = CLIENTS
    source = True

    clients: int
    think_ns: float = 0.0
    cov: float = 1.0

    def __post_init__(self):
        self.check_whole("clients", 0, 1_000_000)
        self.check("think_ns", 0.0, 1e15, "ns")
        self.check("cov", 0.0, 10.0)

    def drawn(self, visitor: int) -> tuple[float, float]:
        return self.think_ns, self.cov

    def limit(self) -> int:
        return int(self.clients)

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return _Crowd(env, draw, priority, self.clients)


class _Crowd(Source[Clients]):
    def __init__(self, env: AbsoluteEnvironment, draw: Draw, priority: int, clients: int):
        self._env, self._draw, self._priority, self._clients = env, draw, priority, clients
        self.busy = 0

    def run(self, c: int, submit: Callable[[int], bool]):
        self._c, self._submit = c, submit
        yield self._env.event()  # never happens: `open_window` and `answered` submit the requests

    def answered(self, c: int, index: int) -> None:
        self._ready_at(self._env.now + self._draw(c, index))

    def set(self, declaration: Clients) -> None:
        self._clients = declaration.clients

    def open_window(self) -> None:
        while self.busy < self._clients:
            self.busy += 1
            self._ready_at(self._env.now)

    def _ready_at(self, time: float) -> None:
        self._env.at(time, self._priority).callbacks.append(lambda _: self._send())

    def _send(self) -> None:
        if self.busy > self._clients:
            self.busy -= 1
        else:
            self._submit(self._c)


@njit(cache=True, inner=True)
def think(plan, state, station, c, index):
    """The client of request `index` thinks, then sends its next."""
    row = station * plan.classes + c
    client_ready(state, station, state.now + gap_ns(plan.quantiles, row, state.streams[row], index))


@njit(cache=True, inner=True)
def client_ready(state, station, time):
    """Add a client that sends its next request at `time`."""
    insert(state, station, time, _ANY)
    state.end[station] = state.keys[station, state.head[station]]


@njit(cache=True, inner=True)
def client_sends(plan, state, station):
    """Take the client that is ready now; True if it sends a request, False if it is surplus and leaves."""
    state.head[station] += 1
    state.end[station] = state.keys[station, state.head[station]]
    if state.busy[station] > plan.limit[station]:
        state.busy[station] -= 1
        return False
    return True


@njit(cache=True, inner=True)
def clients_come(plan, state, station):
    """Add clients, which send at once, up to the declared number."""
    while state.busy[station] < plan.limit[station]:
        state.busy[station] += 1
        client_ready(state, station, state.now)
