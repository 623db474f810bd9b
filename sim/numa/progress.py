"""Operations that run, compiled: those of a class progress alike, and each class has a virtual clock."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.stations.ordered import NEVER, insert, remove
from pmtwin.sim.stations.sharing import advanced, end_of


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def lost_class(state):
    """Class of the threads that lose time to the kernel, in ns, at the same pace whatever the others do."""
    return 2 * state.counts.size


@njit(cache=True, _nrt=False, forceinline=True)
def advance(state, time):
    """Bring the virtual clocks up to date, before anything that affects the speeds or joins or leaves."""
    tally = state.tally[0]
    elapsed = time - tally.last_ns
    if elapsed > 0.0:
        clocks, speeds = state.progress.virtual, state.speeds.speeds
        for place in range(tally.active):
            group = state.active[place]
            clocks[group] = advanced(clocks[group], elapsed, speeds[tally.row, group])
        tally.last_ns = time


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def next_end(state):
    """(time, class) of the next end of an operation; of those at the same time the first class."""
    tally, progress, inverse = state.tally[0], state.progress, state.speeds.inverse
    best, first = NEVER, -1
    for place in range(tally.active):
        group = state.active[place]
        key = progress.keys[group, progress.head[group]]
        end = end_of(tally.last_ns, key, progress.virtual[group], inverse[tally.row, group])
        if end < best:
            best, first = end, group
    return best, first


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def join_class(state, group, thread, work):
    """A thread progresses in a class, whose clock is up to date."""
    progress = state.progress
    if progress.head[group] == progress.tail[group]:
        _activate(state, group)
    insert(progress, group, progress.virtual[group] + work, thread)


@njit(cache=True, _nrt=False, inner=True)
def leave_class(state, group, thread):
    """A thread leaves a class, whose clock is up to date, before its end; returns the work that is left."""
    progress = state.progress
    key = remove(progress, group, thread)
    if progress.head[group] == progress.tail[group]:
        _deactivate(state, group)
    return max(0.0, key - progress.virtual[group])


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def end_in_class(state, group):
    """The thread whose operation ends now, which leaves the class."""
    progress = state.progress
    head = progress.head[group]
    progress.virtual[group] = progress.keys[group, head]
    progress.head[group] = head + 1
    if progress.head[group] == progress.tail[group]:
        _deactivate(state, group)
    return progress.slots[group, head]


@njit(cache=True, _nrt=False, inner=True)
def _activate(state, group):
    tally = state.tally[0]
    place = tally.active
    while place > 0 and state.active[place - 1] > group:
        state.active[place] = state.active[place - 1]
        place -= 1
    state.active[place] = group
    tally.active += 1


@njit(cache=True, _nrt=False, inner=True)
def _deactivate(state, group):
    tally = state.tally[0]
    tally.active -= 1
    place = 0
    while state.active[place] != group:
        place += 1
    for later in range(place, tally.active):
        state.active[later] = state.active[later + 1]
