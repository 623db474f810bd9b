"""Run queues of the logical cores, compiled: who runs, who waits, and the slices by which they take turns (CFS)."""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.numa.load import FAR, NEAR
from pmtwin.sim.numa.progress import advance, join_class, leave_class, lost_class
from pmtwin.sim.numa.records import DOMAINS
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line, remove_member
from pmtwin.sim.stations.ordered import NEVER


@njit(cache=True, _nrt=False, inner=True)
def note_times(state, time, thread):
    """Bring the times of a thread and of its core up to date."""
    entry = state.thread[thread]
    elapsed = time - entry.since_ns
    entry.since_ns = time
    if entry.running:
        entry.cpu_ns += elapsed
        state.core[entry.core].busy_ns += elapsed
    else:
        entry.wait_ns += elapsed


@njit(cache=True, _nrt=False, inner=True)
def count_runnable(state, time, core, by):
    """One thread more or less on a core's queue."""
    entry = state.core[core]
    entry.runnable_ns += entry.runnable * (time - entry.since_ns)
    entry.since_ns = time
    entry.runnable += by


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def kind_of(state, thread, node):
    """Kind of the operation of a thread on a node (`pmtwin.sim.numa.kinds`)."""
    entry, setting = state.thread[thread], state.setting[0]
    offset = node - entry.device
    if offset < 0:
        offset += setting.nodes
    return (setting.offsets * entry.device + offset) * 2 + entry.operation


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def count_kind(state, kind, by):
    """One running thread of a kind more (1) or less (-1)."""
    tally, mark = state.tally[0], state.speeds.mark[kind]
    state.counts[kind] += by
    if by > 0:
        tally.hash += mark
    else:
        tally.hash -= mark
    tally.changed = 1


@njit(cache=True, _nrt=False, inner=True)
def enqueue(state, time, thread, core):
    """A thread comes to a core, and runs if nobody does."""
    entry, place = state.thread[thread], state.core[core]
    entry.core = core
    count_runnable(state, time, core, 1)
    join_line(state.queues, core, thread)
    if place.running == NOBODY:
        _run_next(state, time, core)
        _note_sibling(state, time, core)
    elif place.runnable == 2:
        _set_slice(state, time, core)
    wake_balancers(state, time, core)


@njit(cache=True, _nrt=False, inner=True)
def dequeue(state, time, thread):
    """A thread leaves its core, whether it runs or waits; the next one runs."""
    entry = state.thread[thread]
    core = entry.core
    place = state.core[core]
    if entry.running:
        _stop(state, time, core)
    else:
        note_times(state, time, thread)
        remove_member(state.queues, core, thread)
    count_runnable(state, time, core, -1)
    if place.running == NOBODY:
        if place.runnable > 0:
            _run_next(state, time, core)
        else:
            _note_sibling(state, time, core)
    if place.runnable < 2:
        _end_slices(state, core)
    entry.core = NOBODY
    wake_balancers(state, time, core)


@njit(cache=True, _nrt=False, inner=True)
def move(state, time, thread, core):
    """A thread goes to another core."""
    entry = state.thread[thread]
    before = entry.core
    dequeue(state, time, thread)
    entry.migrations += 1
    entry.node_migrations += state.core[before].node != state.core[core].node
    enqueue(state, time, thread, core)


@njit(cache=True, _nrt=False, inner=True)
def end_slice(state, time, core):
    """The thread that runs goes to the end of the queue."""
    thread = state.core[core].running
    _stop(state, time, core)
    join_line(state.queues, core, thread)
    _run_next(state, time, core)


@njit(cache=True, _nrt=False, inner=True)
def _run_next(state, time, core):
    """The thread at the head of the queue runs."""
    thread, place, setting = leave_line(state.queues, core), state.core[core], state.setting[0]
    entry = state.thread[thread]
    note_times(state, time, thread)
    entry.running, place.running = 1, thread
    entry.kind = kind_of(state, thread, place.node)
    distance = NEAR if entry.device == place.node else FAR
    if place.last != thread:
        entry.lost_ns += setting.switch_ns
        entry.switches += 1
        entry.sys_ns += setting.switch_ns
        place.last = thread
    if entry.warm != place.physical:
        entry.left += setting.refill_ns[distance] / state.speeds.alone_ns[entry.kind]
        entry.warm = place.physical
    count_kind(state, entry.kind, 1)
    join(state, time, thread, core)
    if place.runnable > 1:
        _set_slice(state, time, core)


@njit(cache=True, _nrt=False, inner=True)
def _stop(state, time, core):
    """The thread that runs stops."""
    place = state.core[core]
    thread = place.running
    entry = state.thread[thread]
    note_times(state, time, thread)
    advance(state, time)
    left = leave_class(state, entry.group, thread)
    if entry.group == lost_class(state):
        entry.lost_ns = left
    else:
        entry.left = left
    count_kind(state, entry.kind, -1)
    entry.running, entry.stopped_ns, place.running = 0, time, NOBODY


@njit(cache=True, _nrt=False, inner=True)
def join(state, time, thread, core):
    """A thread that runs loses the time of the kernel's work, then progresses, slower where its sibling is busy."""
    entry, sibling = state.thread[thread], state.core[core].sibling
    advance(state, time)
    if entry.lost_ns > 0.0:
        entry.group = lost_class(state)
        join_class(state, entry.group, thread, entry.lost_ns)
        return
    crowded = sibling != NOBODY and state.core[sibling].running != NOBODY
    entry.group = 2 * entry.kind + crowded
    join_class(state, entry.group, thread, entry.left)


@njit(cache=True, _nrt=False, inner=True)
def _note_sibling(state, time, core):
    """A core has become busy or idle: its sibling's thread runs slower, or faster."""
    sibling = state.core[core].sibling
    if sibling == NOBODY or state.core[sibling].running == NOBODY:
        return
    thread = state.core[sibling].running
    entry = state.thread[thread]
    if entry.group == lost_class(state):
        return
    advance(state, time)
    entry.left = leave_class(state, entry.group, thread)
    join(state, time, thread, sibling)


@njit(cache=True, _nrt=False, inner=True)
def _set_slice(state, time, core):
    """A slice begins: the shorter the more threads are ready."""
    setting = state.setting[0]
    state.due_ns[core] = time + max(setting.latency_ns / state.core[core].runnable, setting.least_slice_ns)
    state.tally[0].moved = 1


@njit(cache=True, _nrt=False, inner=True)
def _end_slices(state, core):
    """Nobody waits: the thread that runs is not interrupted."""
    state.due_ns[core] = NEVER
    state.tally[0].moved = 1


@njit(cache=True, _nrt=False, inner=True)
def look_again_in(state, core, domain):
    """Time until a core looks into a domain again: busy ones look more rarely."""
    setting = state.setting[0]
    return setting.weight_ns[domain] * (setting.busy_factor if state.core[core].runnable > 0 else 1.0)


@njit(cache=True, _nrt=False, inner=True)
def wake_balancers(state, time, changed):
    """Queues or affinities have changed: cores that had found nothing to move look again, and the one that changed.

    They do so one after the other: the first after the shortest interval, the last after nearly twice that.
    """
    setting = state.setting[0]
    if not setting.balance:
        return
    for core in range(setting.cores):
        for domain in range(DOMAINS):
            place = setting.cores + DOMAINS * core + domain
            if setting.weight_ns[domain] > 0.0 and (state.due_ns[place] == NEVER or core == changed):
                state.due_ns[place] = time + look_again_in(state, core, domain) * (1.0 + core / setting.cores)
                state.failed[core, domain] = 0
    state.tally[0].moved = 1
