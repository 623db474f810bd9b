"""FIFO queue before servers, with room for a limited number of requests: admission control."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.lines import join_line, leave_line
from pmtwin.sim.stations.station import QUEUE, UNLIMITED, Process, Station


@dataclass(frozen=True, kw_only=True)
class Queue(Station):
    """Requests wait in order of their arrival for the servers that the next station declares.

    Args:
        capacity: most requests that wait; a further one is rejected. 0: nobody waits; infinite: all do.
            Requests that wait already stay when the capacity shrinks.
    """

    behaviour = QUEUE

    capacity: float = math.inf

    def __post_init__(self):
        self.check_whole("capacity", 0)

    def limit(self) -> int:
        return UNLIMITED if self.capacity == math.inf else int(self.capacity)

    def process(self, env, draw, priority: int):
        return Line(env, self.limit())


class Line(Process):
    """Whom the servers serve next, and how long the requests have waited in all."""

    def __init__(self, env, capacity: int):
        self._env, self._capacity = env, capacity
        self.waiting: deque = deque()
        self._since, self.waited_ns = 0.0, 0.0
        self.servers = None

    def visit(self, request):
        """Wait for a server; a request that finds no room is rejected."""
        if not self.waiting and self.servers.claim():
            return
        if len(self.waiting) >= self._capacity:
            request.rejected = True
            return
        turn = self._env.event()
        self.count()
        self.waiting.append(turn)
        yield turn

    def serve_next(self) -> bool:
        """Hand a server to the request that has waited longest, if any waits."""
        if not self.waiting:
            return False
        self.count()
        self.waiting.popleft().succeed()
        return True

    def open_window(self) -> None:
        self.count()
        self.waited_ns = 0.0

    def count(self) -> None:
        """Bring the time waited up to date."""
        self.waited_ns += len(self.waiting) * (self._env.now - self._since)
        self._since = self._env.now

    def set(self, declaration: Queue) -> None:
        self._capacity = declaration.limit()


@njit(cache=True)
def join_queue(plan, state, station, slot):
    """A request arrives: 1 if a server is free for it, 0 if it waits, -1 if it is rejected."""
    waiting = state.waiting[station]
    if waiting == 0 and state.busy[station + 1] < plan.limit[station + 1]:
        change_busy(plan, state, station + 1, 1)
        return 1
    if waiting >= plan.limit[station]:
        return -1
    count_waiting(state, station)
    join_line(state, station, slot)
    state.waiting[station] += 1
    return 0


@njit(cache=True)
def change_busy(plan, state, station, by):
    """So many servers more are busy."""
    count_busy(plan, state, station)
    state.busy[station] += by


@njit(cache=True)
def count_busy(plan, state, station):
    """Bring the times that servers were busy and idle up to date."""
    elapsed, busy = state.now - state.since[station], state.busy[station]
    state.spent[station] += busy * elapsed
    state.idle[station] += max(plan.limit[station] - busy, 0) * elapsed
    state.since[station] = state.now


@njit(cache=True)
def count_waiting(state, station):
    """Bring the time waited up to date."""
    state.spent[station] += state.waiting[station] * (state.now - state.since[station])
    state.since[station] = state.now


@njit(cache=True)
def serve_next(state, station):
    """Hand a server to the request that has waited longest in the queue: it goes on when it is its turn."""
    count_waiting(state, station)
    slot = leave_line(state, station)
    state.waiting[station] -= 1
    place = state.turn_end & (state.turn_slot.shape[0] - 1)
    state.turn_slot[place], state.turn_station[place] = slot, station
    state.turn_end += 1
