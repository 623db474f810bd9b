"""A hybrid storage in two files, compiled: one thread sends requests, another one moves pages, in real time.

Directories, features, policies, scans, the queue of moves and the mover's samples are the simulator's own functions on
its own state; the time is the clock's, and accesses are calls of the system. What both threads change is changed under
one lock, which nobody holds during an access. A page that is being moved is held: a write of it waits, so that no older
content comes over a newer one. A move waits until a request has written the page to where the directory has it.
The latency of a request is that of its accesses and of such waits: what policies and directories take is left out.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.files.accesses import check, page_of, pages_of, perform
from pmtwin.scenarios.hybrid_storage.files.content import fill
from pmtwin.scenarios.hybrid_storage.files.records import DATA, MOVED, MOVER, REQUESTS, STAGED
from pmtwin.scenarios.hybrid_storage.files.system_calls import lock, now_ns, sleep, unlock, wait_until
from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred
from pmtwin.sim.decisions.choice import decide
from pmtwin.sim.hybrid.driving import IMPOSSIBLE, ask, ask_once, moved, tell
from pmtwin.sim.hybrid.features import show_request
from pmtwin.sim.hybrid.kernel import IN_CLOSED_LOOP
from pmtwin.sim.hybrid.moving import ALL_IDLE, end_move, move_read_pages, mover_of, next_move, sample, wake_mover
from pmtwin.sim.hybrid.planning import plan_read, plan_write
from pmtwin.sim.hybrid.records import ASLEEP, BEGIN, NOBODY, SAMPLE
from pmtwin.sim.hybrid.stream import PAGE_BYTES
from pmtwin.sim.stations.event_heap import push, remove_first

SLOT = 0
"""The only slot: one thread sends all requests."""

NAP_NS = 100_000.0
"""Longest time for which the mover does not look whether there is something to do."""

YIELD_NS = 1_000.0
"""Time after which a write that waits for a move, or a move for a write, looks again."""

ONE = np.uint64(1)


@njit(cache=True, nogil=True, _nrt=False)
def serve(storage, files, place, migrate, until, scan, slice_ns):
    """Send requests until `until` of them are answered, counted from the start, or for a slice of time.

    Args:
        storage: `State`. place, migrate: `CompiledState` of the policies, as of `sim.hybrid.driving.drive`.
        scan: how often the latter is asked after a request.
        slice_ns: time after which Python may look for signals.
    """
    state = referred(storage)
    thread, party, setting = files.thread[REQUESTS], state.party[SLOT], state.setting[0]
    limit = now_ns(thread) + slice_ns
    while state.tally[0].answered < until and not files.shared[0].stop:
        if not _begins(state, files, limit):
            return
        action = setting.action
        if state.request[party.row].write:
            if action == NOBODY:
                action = decide(place, state.features[SLOT], state.mask)
                if action < 0 or action >= state.mask.size or not state.mask[action]:
                    raise ValueError(IMPOSSIBLE)
            _plan_write(state, files, action)
        unlock(files)
        if not _carry_out(state, files):
            return
        _note_answer(state, files)
        if setting.tells:
            tell(state, place, migrate, SLOT)
            ask(state, migrate, scan, False)
            if setting.moves:
                wake_mover(state, state.tally[0].now_ns)
        unlock(files)
        _check(state, files)


@njit(cache=True, _nrt=False, inner=True)
def _begins(state, files, limit):
    """Wait for the time of the next request, and begin it; a write is to be placed then. Keeps the lock.

    Returns:
        False, without the lock, if its time comes after the limit.
    """
    thread, party, tally = files.thread[REQUESTS], state.party[SLOT], state.tally[0]
    request = state.request[party.next_row]
    if party.due_ns < limit:
        if request.write:
            for page in range(request.first, request.first + request.pages):
                fill(files.data[page - request.first], page, files.current[page] + ONE)
        wait_until(thread, party.due_ns)
    else:
        wait_until(thread, limit)
    party.sent_ns = now_ns(thread)
    if party.sent_ns >= limit:
        return False
    party.row = party.next_row
    party.next_row += 1
    if party.next_row == party.first_row + party.rows:
        party.next_row = party.first_row
    lock(files, REQUESTS)
    party.latency_ns = 0.0
    if request.write and _is_held(files, request):
        _wait_for_moves(files, party, request)
    tally.begun += 1
    if not request.write:
        plan_read(state, SLOT, request)
    elif state.setting[0].action == NOBODY:
        show_request(state, SLOT, request)
        tally.decisions += 1
    return True


@njit(cache=True, _nrt=False, inner=True)
def _plan_write(state, files, action):
    """Plan a write to the device that was decided; its pages have another version from now on."""
    party = state.party[SLOT]
    request, party.action = state.request[party.row], action
    plan_write(state, SLOT, request, action)
    for page in range(request.first, request.first + request.pages):
        files.current[page] += ONE
    for at in range(party.accesses):
        access = state.access[SLOT, at]
        if access.write:
            for page in range(page_of(access), page_of(access) + pages_of(access)):
                files.written[page] = True


@njit(cache=True, _nrt=False, inner=True)
def _is_held(files, request):
    """Whether a page of a request is being moved."""
    held = 0
    for page in range(request.first, request.first + request.pages):
        held += files.held[page]
    return held > 0


@njit(cache=True, _nrt=False, inner=True)
def _wait_for_moves(files, party, request):
    """Wait until no page of a write is being moved, which is part of its latency. Keeps the lock."""
    thread = files.thread[REQUESTS]
    begin = now_ns(thread)
    while _is_held(files, request) and not files.shared[0].stop:
        unlock(files)
        sleep(thread, YIELD_NS)
        lock(files, REQUESTS)
    party.latency_ns = now_ns(thread) - begin
    thread.waits_ns += party.latency_ns


@njit(cache=True, _nrt=False, inner=True)
def _is_own(access, request):
    """Whether an access is for pages of the request alone, not for evicted ones."""
    return page_of(access) >= request.first and page_of(access) + pages_of(access) <= request.first + request.pages


@njit(cache=True, _nrt=False, inner=True)
def _carry_out(state, files):
    """All accesses of a request, one after another; whether they were possible."""
    party, read, written = state.party[SLOT], 0, 0
    request, before_ns = state.request[party.row], files.thread[REQUESTS].accesses_ns
    for at in range(party.accesses):
        access = state.access[SLOT, at]
        if _is_own(access, request):
            address = files.address[DATA] + (page_of(access) - request.first) * PAGE_BYTES
        elif access.write:
            address = files.address[STAGED] + written * PAGE_BYTES
            written += pages_of(access)
        else:
            address = files.address[STAGED] + read * PAGE_BYTES
            read += pages_of(access)
        if not perform(state, files, REQUESTS, access, address):
            return False
        if access.write:
            for page in range(page_of(access), page_of(access) + pages_of(access)):
                files.stored[access.device, page] = files.current[page]
                files.written[page] = False
    party.latency_ns += files.thread[REQUESTS].accesses_ns - before_ns
    return True


@njit(cache=True, _nrt=False, inner=True)
def _note_answer(state, files):
    """A request is answered, and the next one has its time. Keeps the lock."""
    party, tally, thread = state.party[SLOT], state.tally[0], files.thread[REQUESTS]
    request, time = state.request[party.row], now_ns(thread)
    thread.requests_ns += time - party.sent_ns
    thread.requests += 1
    gap = state.request[party.next_row].gap_ns
    party.due_ns = time + gap if state.setting[0].arrivals == IN_CLOSED_LOOP else max(party.due_ns + gap, time)
    lock(files, REQUESTS)
    tally.now_ns = time
    answer = state.answer[tally.answered % state.answer.size]
    answer.latency_ns, answer.row = party.latency_ns, party.row
    tally.answered += 1
    if tally.queued > 0 and not request.write:
        _hand_over(state, files, time, request)


@njit(cache=True, _nrt=False, inner=True)
def _hand_over(state, files, time, request):
    """Pages of a read that wait for a move go to the mover as they were read."""
    tally, slots = state.tally[0], state.setting[0].slots
    free = tally.free_writers
    move_read_pages(state, time, request)
    for place in range(tally.free_writers, free):
        writer = state.stack[slots + place]
        page = state.party[writer].page
        files.held[page] = True
        for word in range(files.data.shape[1]):
            files.moved[writer - mover_of(state), word] = files.data[page - request.first, word]


@njit(cache=True, _nrt=False, inner=True)
def _check(state, files):
    """Check the pages that a request has read, also evicted ones."""
    party, read = state.party[SLOT], 0
    request = state.request[party.row]
    for at in range(party.accesses):
        access = state.access[SLOT, at]
        if access.write:
            continue
        own, first = _is_own(access, request), page_of(access)
        for page in range(first, first + pages_of(access)):
            words = files.data[page - request.first] if own else files.staged[read + page - first]
            check(files, REQUESTS, access.device, words, page, files.current[page])
        if not own:
            read += pages_of(access)


@njit(cache=True, nogil=True, _nrt=False)
def move_pages(storage, files, migrate, idle_scan):
    """Move pages until all ends; a move that has begun is finished.

    Args:
        storage, migrate: as of `serve`. idle_scan: how often it is asked at most when devices are idle.
    """
    state = referred(storage)
    thread, mover = files.thread[MOVER], mover_of(state)
    while not files.shared[0].stop:
        lock(files, MOVER)
        time, number = now_ns(thread), NOBODY
        if state.events.size[0] > 0 and state.events.times[0] <= time:
            number = state.events.numbers[0]
            remove_first(state.events)
        unlock(files)
        if number == NOBODY:
            sleep(thread, NAP_NS)
        elif number != mover or _looks(state, files, migrate, idle_scan):
            _move(state, files, migrate, number)


@njit(_nrt=False, inner=True)
def _looks(state, files, migrate, idle_scan):
    """The mover looks for its next page; whether it begins to move one."""
    party, tally = state.party[mover_of(state)], state.tally[0]
    lock(files, MOVER)
    time, answered = now_ns(files.thread[MOVER]), tally.answered
    if time >= tally.mark_ns + state.setting[0].idle_ns:
        sample(state, time)
    following = next_move(state, time)
    if following == ALL_IDLE:
        party.step = SAMPLE  # nobody wakes it meanwhile
        for _ in range(idle_scan):
            if ask_once(state, migrate) == NOBODY or tally.queued > 0:
                break
            unlock(files)  # a request does not wait for a whole scan
            lock(files, MOVER)
        following = next_move(state, time)
        if party.step == ASLEEP and tally.answered > answered:
            wake_mover(state, now_ns(files.thread[MOVER]))
    begins = following == BEGIN
    if begins:
        files.held[party.page] = True
    unlock(files)
    return begins


@njit(_nrt=False, inner=True)
def _move(state, files, migrate, number):
    """Read a page, unless a request has, and write it to its target."""
    party, row = state.party[number], number - mover_of(state)
    page, address = party.page, files.address[MOVED] + row * PAGE_BYTES
    while files.written[page] and not files.shared[0].stop:
        sleep(files.thread[MOVER], YIELD_NS)
    for at in range(party.accesses):
        access = state.access[number, at]
        if not perform(state, files, MOVER, access, address):
            return
        if not access.write:
            check(files, MOVER, access.device, files.moved[row], page, files.current[page])
    files.stored[party.target, page] = files.current[page]
    lock(files, MOVER)
    files.held[page] = False
    if end_move(state, number):
        moved(migrate, page, party.origin, party.target)
    if row == 0:  # the mover looks for its next page, after pages that were read meanwhile
        party.step = SAMPLE
        push(state.events, now_ns(files.thread[MOVER]), number)
    unlock(files)
