"""A queue in front of servers: its capacity (admission control), and the choice of the next request."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.pending import allow, ask, asks, consult_question, idles, may_idle, note_idle, remember, show
from pmtwin.sim.decisions.question import Question
from pmtwin.sim.errors import InputError
from pmtwin.sim.stations.lines import join_line, leave_line
from pmtwin.sim.stations.station import QUEUE, UNLIMITED, Draw, Process, Station, Visitor

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
    from pmtwin.sim.stations.servers import Pool

NO_REQUEST = -1
"""In place of a request's class, number or slot: no request is chosen."""

IDLE = "idle"
"""Name of the action that leaves a free server idle."""


@dataclass(frozen=True, kw_only=True)
class Queue(Station):
    """Requests wait, first come first served, for the `Servers` that follow the queue.

    Args:
        capacity: largest number of waiting requests; a further request is rejected. 0: none may wait. When the
            capacity shrinks, requests that wait already stay.
        asks: whether the queue is a decision point. If so, a free server asks for a class when requests of several
            classes wait, and takes the request of that class that has waited longest. The features are the numbers of
            waiting requests of each class.
        idles: with `asks`: whether there is a last action, `idle`, that leaves the server idle. Each request then waits
            first; while requests wait, free servers ask when a request comes, when one leaves the servers, and when a
            window begins.
        question: with `asks`: further features, forbidden actions and rewards.
    """

    behaviour = QUEUE

    capacity: float = math.inf
    asks: bool = False
    idles: bool = False
    question: Question | None = None

    def __post_init__(self):
        if self.idles and not self.asks:
            raise InputError(f"{self.name}: idles", self.idles, "asks=True beside it, or False")
        self.check_whole("capacity", int(self.idles))
        if self.question is not None and (not self.asks or self.question.actions):
            allowed = "a question only with asks=True, and without `actions` and `act`: the actions are the classes"
            raise InputError(f"{self.name}: question", self.question, allowed)

    def limit(self) -> int:
        return UNLIMITED if self.capacity == math.inf else int(self.capacity)

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return Line(env, self.limit())


class ByClass:
    """Waiting requests, one line for each class; each request has an event for its turn."""

    def __init__(self) -> None:
        self._lines: defaultdict[int, deque] = defaultdict(deque)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, waiting: tuple) -> None:
        """Add a (request, turn) to the line of its class."""
        self._lines[waiting[0].c].append(waiting)
        self._size += 1

    def count(self, c: int) -> int:
        """Number of waiting requests of a class."""
        return len(self._lines[c])

    def take(self, c: int) -> tuple:
        """Remove and return the (request, turn) of a class that has waited longest."""
        self._size -= 1
        return self._lines[c].popleft()


class Line(Process[Queue]):
    """A queue in engine `simpy`: chooses the next request, and sums the waiting times."""

    servers: Pool
    waiting: deque | ByClass

    def __init__(self, env: AbsoluteEnvironment, capacity: int):
        self._env, self._capacity = env, capacity
        self.waiting = deque()
        self._since, self.waited_ns = 0.0, 0.0
        self.choose: Callable[[Any], tuple | None] = deque.popleft
        self.idles = False

    def ask(self, choose: Callable[[ByClass], tuple | None], idles: bool) -> None:
        """From now on `choose` selects the next request, or None to leave a server idle, which `idles` allows."""
        self.waiting, self.choose, self.idles = ByClass(), choose, idles

    def is_full(self) -> bool:
        """Whether the queue has no room for a request that arrives now."""
        return len(self.waiting) >= self._capacity and (bool(self.waiting) or self.servers.busy >= self.servers.servers)

    def visit(self, request: Visitor | None):
        """Wait for a server; a request that finds no room is rejected.

        Args:
            request: None where the queue has room for all and does not tell classes apart.
        """
        if not self.waiting and not self.idles and self.servers.claim():
            return
        if len(self.waiting) >= self._capacity and self.idles:  # a request without room wakes the servers, too
            self.servers.serve_waiting()
        if len(self.waiting) >= self._capacity:
            cast("Visitor", request).rejected = True
            return
        turn = self._env.event()
        self.count()
        self.waiting.append((request, turn))
        if self.idles:
            self.servers.serve_waiting()
        yield turn

    def serve_next(self) -> bool:
        """Give a free server to the next request; False if none waits or the policy leaves the server idle."""
        if not self.waiting:
            return False
        self.count()
        chosen = self.choose(self.waiting)
        if chosen is None:
            return False
        _, turn = chosen
        turn.succeed()
        return True

    def open_window(self) -> None:
        self.count()
        self.waited_ns = 0.0

    def count(self) -> None:
        """Bring the sum of waiting times up to date."""
        self.waited_ns += len(self.waiting) * (self._env.now - self._since)
        self._since = self._env.now

    def set(self, declaration: Queue) -> None:
        self._capacity = declaration.limit()


@njit(cache=True, inner=True)
def join_queue(plan, state, station, slot):
    """A request arrives: 1 if it takes a free server, 0 if it waits, -1 if it is rejected."""
    waiting = state.waiting[station]
    if waiting == 0 and state.busy[station + 1] < plan.limit[station + 1]:
        change_busy(plan, state, station + 1, 1)
        return 1
    if waiting >= plan.limit[station]:
        return -1
    _wait(plan, state, station, slot)
    return 0


@njit(cache=True, _nrt=False, inner=True)
def join_idling(plan, state, decisions, station, slot):
    """Like `join_queue`, where servers may stay idle: each request waits first and wakes them, even without room."""
    if state.waiting[station] >= plan.limit[station]:
        serve_waiting(plan, state, decisions, station + 1)
        if state.waiting[station] >= plan.limit[station]:
            return -1
    _wait(plan, state, station, slot)
    serve_waiting(plan, state, decisions, station + 1)
    return 0


@njit(cache=True, inner=True)
def _wait(plan, state, station, slot):
    """Add a request to the line of the queue or, if the queue asks, to the line of its class."""
    count_waiting(state, station)
    if plan.point[station] < 0:
        join_line(state, station, slot)
    else:
        c = state.slot_class[slot]
        join_line(state, _line_of_class(plan, state, station, c), slot)
        state.class_waiting[station, c] += 1
    state.waiting[station] += 1


@njit(cache=True, inner=True)
def change_busy(plan, state, station, by):
    """Add `by` to the number of busy servers."""
    count_busy(plan, state, station)
    state.busy[station] += by


@njit(cache=True, inner=True)
def count_busy(plan, state, station):
    """Bring the busy and idle times of servers up to date."""
    elapsed, busy = state.now - state.since[station], state.busy[station]
    state.spent[station] += busy * elapsed
    state.idle[station] += max(plan.limit[station] - busy, 0) * elapsed
    state.since[station] = state.now


@njit(cache=True, inner=True)
def count_waiting(state, station):
    """Bring the sum of waiting times up to date."""
    state.spent[station] += state.waiting[station] * (state.now - state.since[station])
    state.since[station] = state.now


@njit(cache=True, _nrt=False, inner=True)
def serve_next(plan, state, decisions, station):
    """Give a free server to the next request of the queue, which `take_turns` then moves on; False: it stays idle."""
    count_waiting(state, station)
    if asks(decisions) and plan.point[station] >= 0:
        slot = _chosen(plan, state, decisions, station)
        if slot < 0:
            return False
    else:
        slot = leave_line(state, station)
    state.waiting[station] -= 1
    place = state.turn_end & (state.turn_slot.shape[0] - 1)
    state.turn_slot[place], state.turn_station[place] = slot, station
    state.turn_end += 1
    return True


@njit(cache=True, _nrt=False, inner=True)
def serve_waiting(plan, state, decisions, station):
    """Give free servers to waiting requests, until the policy leaves one idle."""
    while state.busy[station] < plan.limit[station] and state.waiting[station - 1]:
        if not serve_next(plan, state, decisions, station - 1):
            break
        change_busy(plan, state, station, 1)


@njit(cache=True, inner=True)
def _line_of_class(plan, state, station, c):
    """Number of a class's line in a queue that asks; these come after the lines of all stations."""
    return state.end.shape[0] + station * plan.next.shape[0] + c


@njit(cache=True, _nrt=False, inner=True)
def _chosen(plan, state, decisions, station):
    """Slot of the request that a free server takes: of the only waiting class, or of the class that the policy chooses.

    `NO_REQUEST`: the server stays idle.
    """
    waiting = state.class_waiting[station]
    chosen, several = np.int64(NO_REQUEST), False
    for c in range(plan.classes):
        if waiting[c] > 0:
            several = several or chosen >= 0
            chosen = c
    idling = idles(decisions, plan, station)
    if not several and not idling:
        return _first_of(plan, state, station, chosen)
    point, visitors = plan.point[station], plan.visitors[station]
    for visitor in range(visitors):
        count = waiting[plan.visitor[station, visitor]]
        show(decisions, point, visitor, count)
        allow(decisions, point, visitor, count > 0)
    if idling:
        allow(decisions, point, visitors, may_idle(decisions, point) > 0)
    consult_question(decisions, point, state, NO_REQUEST, NO_REQUEST, state.now)
    action = ask(decisions, point)
    if idling:
        note_idle(decisions, point, action == visitors, state.busy[station + 1] > 0)
        if action == visitors:
            return NO_REQUEST
    slot = _first_of(plan, state, station, plan.visitor[station, action])
    remember(decisions, point, slot, action, state.now)
    return slot


@njit(cache=True, inner=True)
def _first_of(plan, state, station, c):
    """Remove and return the request of a class that has waited longest."""
    state.class_waiting[station, c] -= 1
    return np.int64(leave_line(state, _line_of_class(plan, state, station, c)))
