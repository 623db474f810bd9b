"""The whole system, event by event, compiled: clients, page caches, service threads, I/O threads, disks.

A call that is not inlined hands on every array of the storage, some 200 numbers: more than most functions here do.
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
    """Sends every client's first request."""
    setting = storage.setting[0]
    for client in range(setting.clients):
        if storage.client[client].quota == 0:
            continue
        push(storage.events, _next_request(storage, client, draws.start_s(setting, client)), client)


@njit(cache=True, nogil=True, _nrt=False)
def run(storage, caches, most_events, until):
    """Runs events until so many requests have been answered in all, or the last event is over; returns their number.

    Args:
        caches: those of all processes, stacked; only looked at where a cache can be full.
        most_events: limit of their number.
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


@njit(cache=True, _nrt=False, forceinline=True)
def _next_request(storage, number, time):
    """Let a client ask at a time; returns when the request is at the process that caches the page."""
    client = storage.client[number]
    client.page, client.requested_s, client.step = requested_page(storage, number, client.done), time, COMING
    if storage.page[client.page].owner == client.process:
        return time
    storage.tally[0].remote += 1
    return time + storage.setting[0].rpc_s


@njit(cache=True, _nrt=False, forceinline=True)
def _arrive(storage, caches, time, number):
    """A request is at the process that caches its page, for the first time or when it has waited for the page."""
    client = storage.client[number]
    if client.step == READY or _look_up(storage, caches, time, client.page):
        _serve(storage, time, number)
        return
    client.step = WAITING
    join_line(storage.readers, client.page, number)
    remove_first(storage.events)


@njit(cache=True, _nrt=False, forceinline=True)
def _look_up(storage, caches, time, page):
    """Whether the page is cached; if not, it is on its way afterwards, or waits for a line."""
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


@njit(cache=True, _nrt=False)
def _bring(storage, caches, time, page):
    """A page takes a line, and comes from the disks or from the prefetch buffer: a miss of the cache in either case."""
    entry, tally = storage.page[page], storage.tally[0]
    state, process = entry.state, storage.process[entry.owner]
    if storage.setting[0].evicting:
        process.pinned += 1
        cache = one_of(caches, entry.owner)
        gone = request(cache, page, 0, Pins(cache.directory.pages, storage.holders))
        if gone >= 0:
            _evict(storage, gone, page)
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


@njit(cache=True, _nrt=False, forceinline=True)
def _evict(storage, gone, page):
    """A page loses its line to another; if it is dirty it is written first."""
    entry, tally = storage.page[gone], storage.tally[0]
    tally.evictions += 1
    entry.state, entry.considered = ABSENT, 0
    if entry.dirty:
        tally.dirty_evictions += 1
        entry.dirty = entry.to_write = 0
        storage.page[page].victim = gone


@njit(cache=True, _nrt=False, forceinline=True)
def _release(storage, caches, time, page):
    """One holder less: without any, the page's line is for the page that has waited longest for one."""
    storage.holders[page] -= 1
    if storage.holders[page] > 0:
        return
    owner = storage.page[page].owner
    storage.process[owner].pinned -= 1
    wanted = leave_line(storage.wanted, owner)
    if wanted != NOBODY:
        _give_line(storage, caches, time, owner, wanted)


@njit(cache=True, _nrt=False)
def _give_line(storage, caches, time, owner, wanted):
    """A page that has waited for a line comes."""
    storage.page[wanted].wanted = 0
    _bring(storage, caches, time, wanted)
    if storage.page[wanted].state == CACHED:
        resume(storage, time, wanted)
        wake(storage, time, owner)


@njit(cache=True, _nrt=False, forceinline=True)
def _end_operation(storage, caches, time, place):
    """A disk has done a page: its I/O thread continues."""
    number = leave_disk(storage, time, place)
    written = end_operation(storage, time, number)
    if written != NOBODY and storage.setting[0].evicting:
        _release(storage, caches, time, written)
    wake(storage, time, number)


@njit(cache=True, _nrt=False, forceinline=True)
def give_thread(storage, time, number):
    """A request comes to the service threads of its process, or waits for one of them still; returns its end."""
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


@njit(cache=True, _nrt=False, forceinline=True)
def _serve(storage, time, number):
    """The first service thread that is free takes the request, and holds it while another one writes the page."""
    setting, client = storage.setting[0], storage.client[number]
    end = give_thread(storage, time, number)
    if setting.writes:
        _make_dirty(storage, time, client.page)
    if setting.prefetch_lines > 0:
        wake(storage, time, storage.page[client.page].owner)  # a line of the buffer may be empty; a dirty page first
    if setting.evicting:
        client.step = SERVED
        if storage.latency_s.size > 0:
            tally = storage.tally[0]
            tally.turns += 1
            client.ready_s, client.turn = time, tally.turns
        replace_first(storage.events, end, number)
    else:
        _answer(storage, end, number)


@njit(cache=True, _nrt=False, forceinline=True)
def _depart(storage, caches, time, number):
    """A service is over, and the page is free of it."""
    client, tally = storage.client[number], storage.tally[0]
    page = client.page
    if storage.latency_s.size > 0:
        tally.held_s += time - client.thread_s
        tally.thread_wait_s += client.thread_s - client.ready_s
    _answer(storage, time, number)
    _release(storage, caches, time, page)


@njit(cache=True, _nrt=False, forceinline=True)
def _answer(storage, end, number):
    """The answer goes to the client, which asks again after its pause."""
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


@njit(cache=True, _nrt=False, forceinline=True)
def _make_dirty(storage, time, page):
    """A page is written to: at most once in the time that it is cached, an idle I/O thread may write it back."""
    entry = storage.page[page]
    entry.dirty = 1
    if not entry.considered:
        entry.considered = 1
        if draws.is_written_back(storage.setting[0], page):
            ask_for_write(storage, time, page)
