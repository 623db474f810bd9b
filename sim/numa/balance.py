"""Balance between the queues, compiled: Linux 4.18's `load_balance`, without what rests on unlike threads or cores.

A core looks into its domains: its siblings, its socket, all nodes. It pulls threads that wait from the busiest queue of
the busiest group; after some looks in vain the one that runs. What a core finds hangs on the queues and affinities
alone, but for threads that are spared: where nothing is to be moved it looks again when they have changed.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.numa.queues import look_again_in, move, wake_balancers
from pmtwin.sim.numa.records import DOMAINS, NUMA, SMT, SOCKET
from pmtwin.sim.stations.lines import NOBODY
from pmtwin.sim.stations.ordered import NEVER

BEFORE_RUNNING = 2
"""Looks in vain, beyond those in which threads are spared, before a thread that runs is moved."""


@njit(cache=True, _nrt=False, inner=True)
def look(state, time, core, domain):
    """A core looks for threads in one of its domains, since its time has come."""
    place = state.setting[0].cores + DOMAINS * core + domain
    state.tally[0].moved = 1
    state.due_ns[place] = NEVER
    if not _is_first(state, core, domain):
        return
    source, number = _busiest(state, core, domain)
    if source == NOBODY:
        return
    if _pull_waiting(state, time, core, domain, source, number):
        state.failed[core, domain] = 0
    else:
        state.failed[core, domain] += 1
        if state.failed[core, domain] > domain + BEFORE_RUNNING:
            thread = state.core[source].running
            if state.allowed[thread, core]:
                move(state, time, thread, core)
                pull(state, time, source)
            state.failed[core, domain] = domain + 1
    state.due_ns[place] = time + look_again_in(state, core, domain)


@njit(cache=True, _nrt=False, inner=True)
def pull(state, time, core):
    """A core that has become idle takes a thread that waits, from as near as there is one."""
    setting = state.setting[0]
    if not setting.balance or state.core[core].runnable > 0:
        return
    for domain in range(DOMAINS):
        if setting.weight_ns[domain] > 0.0:
            source, _ = _busiest(state, core, domain)
            if source != NOBODY and _pull_waiting(state, time, core, domain, source, 1):
                return


@njit(cache=True, _nrt=False)
def confine(state, time):
    """Affinities have changed: threads on cores that they may not use go to the least used one that they may.

    What the cores find in one another's queues has changed as well: they look again.
    """
    setting = state.setting[0]
    for thread in range(setting.threads):
        before = state.thread[thread].core
        if before != NOBODY and not state.allowed[thread, before]:
            least = NOBODY
            for core in range(setting.cores):
                if state.allowed[thread, core] and (
                    least == NOBODY or state.core[core].runnable < state.core[least].runnable
                ):
                    least = core
            move(state, time, thread, least)
            pull(state, time, before)
    wake_balancers(state, time, NOBODY)


@njit(cache=True, _nrt=False, inner=True)
def _pull_waiting(state, time, core, domain, source, most):
    """Move up to so many threads that wait, who has waited longest first; returns their number."""
    moved, thread = 0, state.queues.front[source]
    spares = state.failed[core, domain] <= domain
    while thread != NOBODY and moved < most:
        behind, entry = state.queues.behind[thread], state.thread[thread]
        hot = spares and time - entry.stopped_ns < state.setting[0].hot_ns
        if state.allowed[thread, core] and not hot:
            move(state, time, thread, core)
            moved += 1
        thread = behind
    return moved


@njit(cache=True, _nrt=False, inner=True)
def _is_first(state, core, domain):
    """Whether the core looks on behalf of its group: its first idle core, else its first."""
    first = NOBODY
    for other in range(_first(state, core, domain), _last(state, core, domain)):
        if _group(state, other, domain) == _group(state, core, domain):
            if state.core[other].runnable == 0:
                return other == core
            if first == NOBODY:
                first = other
    return first == core


@njit(cache=True, _nrt=False, inner=True)
def _busiest(state, core, domain):
    """(core of the queue to pull from, how many threads; `NOBODY` if the queues are in balance).

    It is the longest queue of the busiest group, of those with threads that may run on the core.
    """
    first, last, sums = _first(state, core, domain), _last(state, core, domain), state.sums
    here, size = _group(state, core, domain), _group_size(state, domain)
    for other in range(first, last):
        sums[_group(state, other, domain)] = 0
    total, cores = 0, 0
    for other in range(first, last):
        if _is_inside(state, core, other, domain):
            sums[_group(state, other, domain)] += state.core[other].runnable
            total += state.core[other].runnable
            cores += 1
    source, most, longest = NOBODY, 0, 0
    for other in range(first, last):
        group, length = _group(state, other, domain), state.core[other].runnable
        if group != here and length > 0 and _is_inside(state, core, other, domain):
            busier = sums[group] > most or (sums[group] == most and length > longest)
            if busier and _has_allowed(state, other, core):
                source, most, longest = other, sums[group], length
    least = sums[here]
    if source == NOBODY or not _is_unbalanced(state, core, source, domain, most, least, total / cores * size):
        return NOBODY, 0
    mean = total / cores * size
    return source, max(1, int(min(most - mean, mean - least) + 0.5))


@njit(cache=True, _nrt=False, inner=True)
def _is_unbalanced(state, core, source, domain, most, least, mean):
    """Whether a core pulls; `most`, `least`, `mean`: threads of the busiest group, its own and all."""
    size, idle = _group_size(state, domain), state.core[core].runnable == 0
    crowded = most > size or (domain == SOCKET and most > least + 1)
    if idle and least < size and crowded:
        return True
    if most <= least or least >= mean:
        return False
    if idle:
        return _idle_cores(state, core, domain) > _idle_cores(state, source, domain) + 1
    return most > state.setting[0].excess[domain] * least


@njit(cache=True, _nrt=False, inner=True)
def _has_allowed(state, source, core):
    """Whether any thread of a queue may run on another core."""
    if state.allowed[state.core[source].running, core]:
        return True
    thread = state.queues.front[source]
    while thread != NOBODY:
        if state.allowed[thread, core]:
            return True
        thread = state.queues.behind[thread]
    return False


@njit(cache=True, _nrt=False, inner=True)
def _idle_cores(state, core, domain):
    """Number of idle cores in a core's group."""
    number = 0
    for other in range(_first(state, core, domain), _last(state, core, domain)):
        number += _group(state, other, domain) == _group(state, core, domain) and state.core[other].runnable == 0
    return number


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _group(state, core, domain):
    """Group of a core in a domain: itself, its physical core, its node."""
    if domain == SMT:
        return core
    return state.core[core].physical if domain == SOCKET else state.core[core].node


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _group_size(state, domain):
    setting = state.setting[0]
    if domain == SMT:
        return 1
    return setting.node_cores // setting.physical if domain == SOCKET else setting.node_cores


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _is_inside(state, core, other, domain):
    """Whether a core of the same node, or of any, lies in the domain."""
    return domain != SMT or state.core[core].physical == state.core[other].physical


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _first(state, core, domain):
    return 0 if domain == NUMA else state.core[core].node * state.setting[0].node_cores


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _last(state, core, domain):
    setting = state.setting[0]
    return setting.cores if domain == NUMA else (state.core[core].node + 1) * setting.node_cores
