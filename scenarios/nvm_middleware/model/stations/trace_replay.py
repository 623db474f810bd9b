"""The replay of a class's trace: clients submit its requests in order, each at its time if a client is ready.

In closed loop a client submits as soon as it is ready. A window releases a part of the trace; requests left from
earlier windows come first. In compiled code a client is an entry of a ring: the time at which it becomes ready.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.stations.middleware_state import RING, UNLIMITED
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.stations.ordered import NEVER
from pmtwin.sim.stations.station import Process, Station
from pmtwin.sim.stations.timers import Timer

if TYPE_CHECKING:
    from pmtwin.scenarios.nvm_middleware.model.model import Model
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment
    from pmtwin.sim.stations.station import Draw


@dataclass(frozen=True, kw_only=True, eq=False)
class TraceReplay(Station):
    """The clients of a class, who replay its trace.

    Args:
        model: model with the clients, the gaps, and whether a class is in closed loop.
    """

    source = True

    model: Model
    class_index: int

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int) -> _Replay:
        return _Replay(env, draw, priority, self.model, self.class_index)


class _Replay(Process):
    """`draw(class, index)`: the gap before request `index` of the trace, in ns."""

    def __init__(self, env: AbsoluteEnvironment, draw: Draw, priority: int, model: Model, c: int):
        self._env, self._draw, self._priority, self._plain, self._c = env, draw, priority, model.plain, c
        self._ready = deque([env.now] * int(model.plain.clients[c]))
        self._surplus, self._budget, self._due, self._submitted = 0, 0, 0.0, 0
        self._changed, self._next = env.event(), Timer(env, self._is_due, priority)

    def run(self, submit: Callable[[int], object]):
        """Submit requests as they become due and clients are ready."""
        while True:
            if self._ready and self._budget > 0:
                if self._due <= self._env.now:
                    self._take()
                    submit(self._c)
                    continue
                self._next.arm(self._due)
            yield self._changed

    def set_model(self, model: Model) -> None:
        """Begin another phase: the rest of the trace is dropped, clients join or leave."""
        change = int(model.plain.clients[self._c]) - int(self._plain.clients[self._c])
        self._plain, self._budget, self._due = model.plain, 0, self._env.now
        self._join(max(change, 0))
        self._retire(max(-change, 0))

    def release(self, requests: int) -> None:
        """Release further requests of the trace at the start of a window."""
        if self._plain.closed[self._c]:
            self._budget, self._due = int(UNLIMITED), -np.inf
        else:
            self._budget = min(self._budget + requests, int(UNLIMITED))
            if self._due <= self._env.now:  # behind its schedule: the trace continues from now
                self._due = self._env.now + self._draw(self._c, self._submitted)
        self._tell()

    def answered(self) -> None:
        """Handle an answer: its client is ready again after waking up, unless it is to leave."""
        if self._surplus > 0:
            self._surplus -= 1
        elif self._plain.client_wakeup_ns == 0.0:  # the client's next request precedes all other events at this time
            self._is_ready()
        else:
            ready = self._env.at(self._env.now + self._plain.client_wakeup_ns, self._priority)
            ready.callbacks.append(lambda _: self._is_ready())

    def unreleased(self) -> int:
        """Number of requests released and not yet submitted; 0 in closed loop."""
        return 0 if self._plain.closed[self._c] else self._budget

    def _take(self) -> None:
        self._ready.popleft()
        if not self._plain.closed[self._c]:
            self._budget -= 1
            self._submitted += 1
            self._due += self._draw(self._c, self._submitted)

    def _is_ready(self) -> None:
        self._ready.append(self._env.now)
        if len(self._ready) == 1:  # the replay may have been waiting for a client
            self._tell()

    def _tell(self) -> None:
        """Wake the replay: a condition that it waits for may have become true."""
        changed, self._changed = self._changed, self._env.event()
        changed.succeed()

    def _is_due(self) -> None:
        """Wake the replay: the time of the next request has come."""
        changed, self._changed = self._changed, self._env.event()
        self._env.happen(changed)

    def _join(self, count: int) -> None:
        stay = min(count, self._surplus)
        self._surplus -= stay
        self._ready.extend([self._env.now] * (count - stay))

    def _retire(self, count: int) -> None:
        idle = min(count, len(self._ready))
        for _ in range(idle):
            self._ready.popleft()
        self._surplus += count - idle


@njit(cache=True)
def change_clients(states, change):
    """Add or remove clients.

    New clients are ready now. Surplus clients leave: those ready first, the longest ready before others, and the rest
    at their next answer.
    """
    st = states[0]
    now = st.now
    for c in range(2):
        resize_rings(st, c, max(change[c], 0))
        for _ in range(change[c]):
            if st.retiring_clients[c] > 0:
                st.retiring_clients[c] -= 1
            else:
                ready_now(st, c, now)
        for _ in range(-change[c]):
            first = st.ready_first[c]
            if first < st.ready_end[c] and st.ready[c, ring_place(st, c, first)] <= now:
                st.ready_first[c] += 1
            else:
                st.retiring_clients[c] += 1


@njit(cache=True, forceinline=True, inner=True)
def ring_place(st, c, number):
    """Index of a client, or request, in the rings of class c; unsigned."""
    return np.uint64(number & st.ring_mask[c])


@njit(cache=True, inner=True)
def resize_rings(st, c, more):
    """Resize the rings of a class to the shortest length for its clients and `more` new ones."""
    ready, queued = st.ready_end[c] - st.ready_first[c], st.queued_end[c] - st.queued_first[c]
    size = 1
    while size < ready + queued + st.busy[c] + more:
        size *= 2
    times, submitted, windows = np.empty(ready), np.empty(queued), np.empty(queued)
    for j in range(ready):
        times[j] = st.ready[c, ring_place(st, c, st.ready_first[c] + j)]
    for j in range(queued):
        place = ring_place(st, c, st.queued_first[c] + j)
        submitted[j], windows[j] = st.queued[c, place], st.queued_window[c, place]
    for j in range(ready):  # element by element: an assignment of slices takes seconds to compile
        st.ready[c, j] = times[j]
    for j in range(queued):
        st.queued[c, j], st.queued_window[c, j] = submitted[j], windows[j]
    st.ready_first[c], st.ready_end[c], st.queued_first[c], st.queued_end[c] = 0, ready, 0, queued
    st.ring_mask[c] = min(size, RING) - 1


@njit(cache=True, inner=True)
def ready_now(st, c, now):
    """Insert a client who is ready now before those whose answers are still on their way."""
    j = st.ready_end[c]
    while j > st.ready_first[c] and st.ready[c, ring_place(st, c, j - 1)] > now:
        st.ready[c, ring_place(st, c, j)] = st.ready[c, ring_place(st, c, j - 1)]
        j -= 1
    st.ready[c, ring_place(st, c, j)] = now
    st.ready_end[c] += 1


@njit(cache=True, forceinline=True, inner=True)
def next_submission(st, c):
    """Submission time, past or future, of the next request of the class that no worker has started."""
    c &= 1
    first = st.queued_first[c]
    if first < st.queued_end[c]:
        return st.queued[c, ring_place(st, c, first)]
    return next_of_trace(st, c)


@njit(cache=True, forceinline=True, inner=True)
def next_of_trace(st, c):
    c &= 1
    first = st.ready_first[c]
    if st.budget[c] == 0 or first == st.ready_end[c]:
        return NEVER
    return max(st.ready[c, ring_place(st, c, first)], st.next_arrival_ns[c])


@njit(cache=True, forceinline=True)
def submit(model, st, c):
    """Let the longest ready client of the class submit the next request of the trace."""
    c &= 1
    st.ready_first[c] += 1
    if not model.closed[c]:
        st.budget[c] -= 1
        st.submitted[c] += np.uint64(1)
        st.next_arrival_ns[c] += paced_gap_ns(model, st, c)


@njit(cache=True, forceinline=True, inner=True)
def paced_gap_ns(model, st, c):
    """Gap before the next request of the class's trace, at the pace at which it is replayed."""
    return gap_ns(model.gaps_ns, c, st.random_keys[c], st.submitted[c]) * st.gap_factor[c]


@njit(cache=True, inner=True)
def open_window(model, st, release):
    """Release a window's requests: the trace continues from now, after the rest of earlier windows."""
    for c in range(2):
        st.waited[c] = 0.0
        if model.closed[c]:
            st.budget[c], st.next_arrival_ns[c] = UNLIMITED, st.now
        else:
            st.budget[c] = min(st.budget[c] + release[c], UNLIMITED)
            if st.next_arrival_ns[c] <= st.now:  # behind its schedule: the trace continues from now
                st.next_arrival_ns[c] = st.now + paced_gap_ns(model, st, c)


@njit(cache=True, inner=True)
def close_window(model, st):
    """Keep requests submitted in this window that have not started, independently of the next window's trace."""
    st.windows += 1
    for c in range(2):
        at = next_of_trace(st, c)
        while at <= st.now:
            submit(model, st, c)
            st.queued[c, ring_place(st, c, st.queued_end[c])] = at
            st.queued_window[c, ring_place(st, c, st.queued_end[c])] = st.windows
            st.queued_end[c] += 1
            at = next_of_trace(st, c)
