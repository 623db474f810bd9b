"""The whole system, event by event, compiled: clients, page caches, service threads, I/O threads, disks.

Most functions are inlined: a call would pass all arrays of the storage, some 200 numbers, which takes longer than the
function itself.
"""

from __future__ import annotations

from pmtwin.policies.replacement.lines import Pins
from pmtwin.policies.replacement.replaying import request
from pmtwin.scenarios.two_tier.storage import draws
from pmtwin.scenarios.two_tier.storage.io_threads import (
    arrive_at_disk,
    ask_for_page,
    ask_for_write,
    end_operation,
    hold,
    leave_disk,
    note_miss,
    resume,
    wake,
)
from pmtwin.scenarios.two_tier.storage.popularity import requested_page
from pmtwin.scenarios.two_tier.storage.records import (
    ABSENT,
    CACHED,
    COMING,
    PREFETCHED,
    PREFETCHING,
    READING,
    READY,
    SERVED,
    WAITING,
)
from pmtwin.sim.compiling import njit
from pmtwin.sim.numerics.stacks import one_of
from pmtwin.sim.stations.event_heap import push, remove_first, replace_first
from pmtwin.sim.stations.lines import NOBODY, join_line, leave_line
from pmtwin.sim.stations.servers import first_free


@njit(cache=True, _nrt=False)
def start(storage):
    """Schedule the first request of every client."""
    setting = storage.setting[0]
    for client in range(setting.clients):
        if storage.client[client].quota == 0:
            continue
        push(storage.events, _next_request(storage, client, draws.start_s(setting, client)), client)


@njit(cache=True, nogil=True, _nrt=False)
def run(storage, caches, most_events, until):
    """Process events; returns their number.

    Args:
        caches: stacked caches of all processes; used only if a cache can be full.
        most_events: largest number of events.
        until: number of answered requests, counted from the start, after which the run stops.
    """
    setting, events, tally = storage.setting[0], storage.events, storage.tally[0]
    clients, disks = setting.clients, setting.clients + setting.processes
    count, time = 0, tally.now_s
    while count < most_events and events.size[0] > 0 and tally.requests < until:
        time, number = events.times[0], events.numbers[0]
        count += 1
        if number >= disks:
            _end_operation(storage, caches, time, number - disks)
        elif number >= clients:
            arrive_at_disk(storage, time, number - clients)
        elif storage.client[number].step == SERVED:
            _depart(storage, caches, time, number)
        else:
            _arrive(storage, caches, time, number)
    tally.now_s = time
    return count


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _next_request(storage, number, time):
    """Let a client send its next request; returns the time when it reaches the process that caches the page."""
    client = storage.client[number]
    client.page, client.requested_s, client.step = requested_page(storage, number, client.done), time, COMING
    if storage.page[client.page].owner == client.process:
        return time
    storage.tally[0].remote += 1
    return time + storage.setting[0].rpc_s


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _arrive(storage, caches, time, number):
    """A request arrives at the process that caches its page, for the first time or after it waited for the page."""
    client = storage.client[number]
    if client.step == READY or _look_up(storage, caches, time, client.page):
        _serve(storage, time, number)
        return
    client.step = WAITING
    join_line(storage.readers, client.page, number)
    remove_first(storage.events)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _look_up(storage, caches, time, page):
    """Whether a page is cached; if not, it is requested, or waits for a line."""
    entry, setting, tally = storage.page[page], storage.setting[0], storage.tally[0]
    state = entry.state
    tally.arrivals += 1
    if state in (CACHED, READING):
        if setting.evicting:
            hold(storage, page)
            request(one_of(caches, entry.owner), page, 0)
        if state == CACHED:
            tally.hits += 1
            return True
        tally.waits += 1
        return False
    if setting.evicting:
        storage.holders[page] += 1
        if entry.wanted or storage.process[entry.owner].pinned == setting.lines:
            tally.line_waits += 1
            if not entry.wanted:
                entry.wanted = 1
                join_line(storage.wanted, entry.owner, page)
            return False
    tally.waits += state == PREFETCHING
    _bring(storage, caches, time, page)
    return entry.state == CACHED


@njit(cache=True, _nrt=False, inner=True)
def _bring(storage, caches, time, page):
    """Give a line to a page, and get the page from the disks or from the prefetch buffer; both are misses."""
    entry, tally = storage.page[page], storage.tally[0]
    state, process = entry.state, storage.process[entry.owner]
    if storage.setting[0].evicting:
        process.pinned += 1
        cache = one_of(caches, entry.owner)
        evicted = request(cache, page, 0, Pins(cache.directory.pages, storage.holders))
        if evicted >= 0:
            _evict(storage, evicted, page)
    note_miss(storage, page)
    entry.state = READING
    if state == ABSENT:
        tally.reads += 1
        ask_for_page(storage, time, page)
        return
    tally.prefetch_hits += 1
    if entry.victim != NOBODY:
        entry.moving = state == PREFETCHED
        ask_for_page(storage, time, page)
        return
    process.buffered -= 1
    if state == PREFETCHED:
        entry.state = CACHED


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _evict(storage, evicted, page):
    """A page loses its line to `page`; a dirty one must be written first."""
    entry, tally = storage.page[evicted], storage.tally[0]
    tally.evictions += 1
    entry.state, entry.considered = ABSENT, 0
    if entry.dirty:
        tally.dirty_evictions += 1
        entry.dirty = entry.to_write = 0
        storage.page[page].victim = evicted


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _release(storage, caches, time, page):
    """End a use of a page; the line of an unused page goes to the page that has waited longest for a line."""
    storage.holders[page] -= 1
    if storage.holders[page] > 0:
        return
    owner = storage.page[page].owner
    storage.process[owner].pinned -= 1
    wanted = leave_line(storage.wanted, owner)
    if wanted != NOBODY:
        _give_line(storage, caches, time, owner, wanted)


@njit(cache=True, _nrt=False, inner=True)
def _give_line(storage, caches, time, owner, wanted):
    """Give a line to a page that has waited for one."""
    storage.page[wanted].wanted = 0
    _bring(storage, caches, time, wanted)
    if storage.page[wanted].state == CACHED:
        resume(storage, time, wanted)
        wake(storage, time, owner)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _end_operation(storage, caches, time, place):
    """A disk finishes a page: its I/O thread continues."""
    number = leave_disk(storage, time, place)
    written = end_operation(storage, time, number)
    if written != NOBODY and storage.setting[0].evicting:
        _release(storage, caches, time, written)
    wake(storage, time, number)


@njit(cache=True, _nrt=False, forceinline=True)
def give_thread(storage, time, number):
    """Assign a service thread to a request that arrives at its process, or still waits; returns the end of service."""
    setting, client = storage.setting[0], storage.client[number]
    entry = storage.page[client.page]
    free = storage.free[entry.owner]
    thread = first_free(free, time)
    begin = max(time, free[thread])
    client.thread_s = begin
    if setting.writes:
        begin = max(begin, entry.locked_until)
    end = begin + draws.access_s(setting, number, client.done)
    free[thread] = end
    if setting.writes:
        entry.locked_until = end
    return end


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _serve(storage, time, number):
    """The first free service thread serves a request; the thread also waits while another one writes the page."""
    setting, client = storage.setting[0], storage.client[number]
    end = give_thread(storage, time, number)
    if setting.writes:
        _make_dirty(storage, time, client.page)
    if setting.prefetch_lines > 0:
        wake(storage, time, storage.page[client.page].owner)  # the prefetch buffer may have room; writes come first
    if setting.evicting:
        client.step = SERVED
        if storage.latency_s.size > 0:
            tally = storage.tally[0]
            tally.turns += 1
            client.ready_s, client.turn = time, tally.turns
        replace_first(storage.events, end, number)
    else:
        _answer(storage, end, number)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _depart(storage, caches, time, number):
    """A service ends: answer the request, and release its page."""
    client, tally = storage.client[number], storage.tally[0]
    page = client.page
    if storage.latency_s.size > 0:
        tally.held_s += time - client.thread_s
        tally.thread_wait_s += client.thread_s - client.ready_s
    _answer(storage, time, number)
    _release(storage, caches, time, page)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _answer(storage, end, number):
    """Answer a client, which sends its next request after its pause."""
    setting, client, tally = storage.setting[0], storage.client[number], storage.tally[0]
    answered = end if storage.page[client.page].owner == client.process else end + setting.rpc_s
    if storage.latency_s.size > 0:
        storage.latency_s[tally.requests % storage.latency_s.size] = answered - client.requested_s
    tally.requests += 1
    client.response_s += answered - client.requested_s
    client.done += 1
    client.step = COMING
    if client.done < client.quota:
        replace_first(storage.events, _next_request(storage, number, answered + setting.gap_s), number)
        return
    tally.last_answer_s = max(tally.last_answer_s, answered)
    remove_first(storage.events)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _make_dirty(storage, time, page):
    """Mark a page dirty; once while it is cached, a draw decides whether an idle I/O thread writes it back."""
    entry = storage.page[page]
    entry.dirty = 1
    if not entry.considered:
        entry.considered = 1
        if draws.is_written_back(storage.setting[0], page):
            ask_for_write(storage, time, page)
