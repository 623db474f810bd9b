"""The machine, event by event, compiled: ends of operations, and calls of the kernel."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.numa.balance import look, pull
from pmtwin.sim.numa.draws import operation_of, work_of
from pmtwin.sim.numa.latencies import bin_of
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.numa.progress import advance, end_in_class, join_class, lost_class, next_end
from pmtwin.sim.numa.queues import count_kind, count_runnable, dequeue, end_slice, enqueue, join, kind_of, note_times
from pmtwin.sim.numa.records import DOMAINS
from pmtwin.sim.numa.speed_rows import MISSING, find_row
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.ordered import NEVER

LACKS_ROW, REACHED = range(2)
"""Why a run stops: it needs the speeds of other threads, or its time is over."""

TOUCHED = 1e-6
"""Pages below which all count as accessed."""


@njit(cache=True, _nrt=False)
def start(state, cores):
    """All threads come to their cores; `cores`: shape (T,)."""
    for thread in range(state.setting[0].threads):
        _begin(state, 0.0, thread)
        state.thread[thread].warm = state.core[cores[thread]].physical
        enqueue(state, 0.0, thread, cores[thread])


@njit(cache=True, nogil=True, _nrt=False)
def run(state, until):
    """Runs to a time, or until all threads are done; returns why it stops."""
    tally, setting = state.tally[0], state.setting[0]
    while True:
        if tally.changed:
            row = find_row(state.speeds, tally.hash)
            if row == MISSING:
                return LACKS_ROW
            tally.row, tally.changed = row, 0
        if tally.alive == 0:
            return REACHED
        if tally.moved:
            _find_due(state)
        end, group = next_end(state)
        if min(end, tally.due_ns) > until:
            tally.now_ns = until
            return REACHED
        if end <= tally.due_ns:
            tally.now_ns = end
            advance(state, end)
            thread = end_in_class(state, group)
            if group == lost_class(state):
                _end_loss(state, end, thread)
            else:
                _end_operation(state, end, thread)
        else:
            tally.now_ns = tally.due_ns
            if tally.due < setting.cores:
                end_slice(state, tally.due_ns, tally.due)
            else:
                place = tally.due - setting.cores
                look(state, tally.due_ns, place // DOMAINS, place % DOMAINS)


@njit(cache=True, _nrt=False)
def note_all_times(state):
    """Bring the times of all threads and cores up to date."""
    setting, time = state.setting[0], state.tally[0].now_ns
    for thread in range(setting.threads):
        if state.thread[thread].core != NOBODY:
            note_times(state, time, thread)
    for core in range(setting.cores):
        count_runnable(state, time, core, 0)


@njit(cache=True, _nrt=False, inner=True)
def _find_due(state):
    """The next call of the kernel; of those at the same time the first."""
    tally, best, first = state.tally[0], NEVER, 0
    for place in range(state.due_ns.size):
        if state.due_ns[place] < best:
            best, first = state.due_ns[place], place
    tally.due_ns, tally.due, tally.moved = best, first, 0


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _end_loss(state, time, thread):
    """The kernel's work is done: the thread goes on with its operation."""
    entry = state.thread[thread]
    entry.lost_ns = 0.0
    join(state, time, thread, entry.core)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _end_operation(state, time, thread):
    """An operation ends, and the thread begins the next."""
    entry = state.thread[thread]
    core = entry.core
    place = state.core[core]
    distance, latency_ns = NEAR if entry.device == place.node else FAR, time - entry.began_ns
    entry.operations += 1
    entry.done[distance, entry.operation] += 1
    place.done[distance, entry.operation] += 1
    state.flow[entry.device, place.node, entry.operation] += 1
    state.latency[bin_of(latency_ns)] += 1
    entry.latency_ns += latency_ns
    if entry.operations == entry.quota:
        join_class(state, entry.group, thread, 0.0)
        dequeue(state, time, thread)
        state.tally[0].alive -= 1
        pull(state, time, core)
        return
    _begin(state, time, thread)
    kind = kind_of(state, thread, place.node)
    if kind != entry.kind:
        count_kind(state, entry.kind, -1)
        count_kind(state, kind, 1)
        entry.kind = kind
    join(state, time, thread, core)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _begin(state, time, thread):
    """A thread's next operation."""
    entry = state.thread[thread]
    entry.operation, entry.device = operation_of(state, thread)
    entry.began_ns, entry.left = time, work_of(state, thread)
    if state.tally[0].untouched > 0.0:
        _touch(state, thread)


@njit(cache=True, _nrt=False, inner=True)
def _touch(state, thread):
    """Pages that nobody has accessed yet are faulted in: random keys meet fewer and fewer, keys in order all."""
    entry, setting, tally = state.thread[thread], state.setting[0], state.tally[0]
    if setting.sequential:
        pages = min(setting.touched_bytes / setting.page_bytes, tally.untouched)
    else:
        pages = tally.untouched * min(setting.touched_bytes / setting.pool_bytes, 1.0)
    tally.untouched -= pages
    if tally.untouched < TOUCHED:
        tally.untouched = 0.0
    entry.minor_faults += pages
    entry.sys_ns += pages * setting.fault_ns
    entry.lost_ns += pages * setting.fault_ns
