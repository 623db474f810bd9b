"""The clients of engine `compiled`: who is ready when, what the trace has next, what a window releases and leaves."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import gap_ns
from pmtwin.sim.engines.kernel_state import NEVER, NOW, RING, UNLIMITED


@njit(cache=True)
def change_clients(states, change):
    """New clients are ready now; surplus ones leave, the longest ready first, busy ones with their next answer."""
    st = states[0]
    now = st.clock[NOW]
    for c in range(2):
        for _ in range(change[c]):
            if st.surplus[c] > 0:
                st.surplus[c] -= 1
            else:
                ready_now(st, c, now)
        for _ in range(-change[c]):
            first = st.ready_first[c]
            if first < st.ready_end[c] and st.ready[c, first & (RING - 1)] <= now:
                st.ready_first[c] += 1
            else:
                st.surplus[c] += 1


@njit(cache=True)
def ready_now(st, c, now):
    """Insert a client who is ready now before those whose answers are still on their way."""
    j = st.ready_end[c]
    while j > st.ready_first[c] and st.ready[c, (j - 1) & (RING - 1)] > now:
        st.ready[c, j & (RING - 1)] = st.ready[c, (j - 1) & (RING - 1)]
        j -= 1
    st.ready[c, j & (RING - 1)] = now
    st.ready_end[c] += 1


@njit(cache=True)
def next_submission(st, c):
    """When the next request of the class that no worker has started was, or will be, submitted."""
    c &= 1
    first = st.queued_first[c]
    if first < st.queued_end[c]:
        return st.queued[c, first & (RING - 1)]
    return next_of_trace(st, c)


@njit(cache=True)
def next_of_trace(st, c):
    c &= 1
    first = st.ready_first[c]
    if st.budget[c] == 0 or first == st.ready_end[c]:
        return NEVER
    return max(st.ready[c, first & (RING - 1)], st.due[c])


@njit(cache=True)
def submit(model, st, c):
    """The longest ready client of the class submits the next request of the trace."""
    c &= 1
    st.ready_first[c] += 1
    if not model.closed[c]:
        st.budget[c] -= 1
        st.submitted[c] += np.uint64(1)
        st.due[c] += gap_ns(model.gaps_ns, c, st.random_keys[c], st.submitted[c])


@njit(cache=True)
def open_window(model, st, release):
    """Release a window's requests: the trace goes on from now, with what is left of earlier windows first."""
    for c in range(2):
        st.waited[c] = 0.0
        if model.closed[c]:
            st.budget[c], st.due[c] = UNLIMITED, st.clock[NOW]
        else:
            st.budget[c] += release[c]
            if st.due[c] <= st.clock[NOW]:  # behind its schedule: the trace goes on from now
                st.due[c] = st.clock[NOW] + gap_ns(model.gaps_ns, c, st.random_keys[c], st.submitted[c])


@njit(cache=True)
def close_window(model, st):
    """Requests submitted in this window and not started stay submitted, whatever the next window's trace says."""
    for c in range(2):
        at = next_of_trace(st, c)
        while at <= st.clock[NOW]:
            submit(model, st, c)
            st.queued[c, st.queued_end[c] & (RING - 1)] = at
            st.queued_end[c] += 1
            at = next_of_trace(st, c)
