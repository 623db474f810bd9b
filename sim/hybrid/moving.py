"""Moves in the background, compiled: the queue of pages, idle devices, the mover, and pages that a request has read.

The mover samples how busy the devices are; a move begins where both of its devices were idle in the last sample. Its
page is read and written behind all requests. Without pages to move the mover sleeps until a request is answered.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.pages import free_pages, leave_ring, new_address, settle
from pmtwin.sim.hybrid.planning import add_access
from pmtwin.sim.hybrid.records import ASLEEP, BEGIN, NOBODY, PING_PONG, SAMPLE
from pmtwin.sim.hybrid.stream import PAGE_BYTES
from pmtwin.sim.stations.event_heap import push

ALL_IDLE = NOBODY
"""Result of `next_move`: no page waits, and all devices are idle."""


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def mover_of(state):
    """Number of the mover."""
    return state.setting[0].slots + state.setting[0].sources


@njit(cache=True, _nrt=False, inner=True)
def enqueue(state, page, target):
    """Let a page wait for its move, unless it is there already or waits; a full queue drops it, or the oldest one."""
    record, tally, setting = state.page[page], state.tally[0], state.setting[0]
    if state.device_of[page] == target or record.queued:
        return False
    if tally.queued >= setting.queue:
        tally.dropped += 1
        if not setting.drops_oldest or setting.queue == 0:
            return False
        state.page[state.queue[0].page].queued = 0
        _leave_queue(state, 0)
    record.queued = 1
    move = state.queue[tally.queued]
    move.page, move.target, move.version = page, target, record.version
    tally.queued += 1
    return True


@njit(cache=True, _nrt=False, inner=True)
def wake_mover(state, time):
    """Let the mover sample, unless it does."""
    mover = mover_of(state)
    if state.party[mover].step == ASLEEP:
        _mark(state, time)
        state.party[mover].step = SAMPLE
        push(state.events, time + state.setting[0].idle_ns, mover)


@njit(cache=True, _nrt=False, inner=True)
def sample(state, time):
    """Note which devices were idle since the last sample."""
    setting, tally = state.setting[0], state.tally[0]
    for number in range(state.device.size):
        device = state.device[number]
        share = (_busy_ns(state, device, time) - device.marked_ns) / (time - tally.mark_ns)
        device.idle = share < setting.idle_share
    _mark(state, time)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _busy_ns(state, device, time):
    """Time so far with requests at the device, or of transfers of their data that have ended."""
    if state.setting[0].by_bandwidth:
        return device.data_ns
    return device.busy_ns + (time - device.since_ns if device.present > 0 else 0.0)


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _mark(state, time):
    """A sample begins."""
    state.tally[0].mark_ns = time
    for number in range(state.device.size):
        state.device[number].marked_ns = _busy_ns(state, state.device[number], time)


@njit(cache=True, _nrt=False, inner=True)
def next_move(state, time):
    """Begin the first move that waits, if its devices are idle; what is stale or finds no room is not moved.

    Returns:
        `BEGIN`: the mover's access begins. `ALL_IDLE`: no page waits and all devices are idle: a policy may name more.
        `ASLEEP` otherwise.
    """
    tally, mover = state.tally[0], mover_of(state)
    party = state.party[mover]
    while tally.queued > 0:
        move = state.queue[0]
        page, target = move.page, move.target
        origin = state.device_of[page]
        if _is_stale(state, move):
            _leave_queue(state, 0)
            state.page[page].queued = 0
            tally.stale += 1
            continue
        if not (state.device[origin].idle and state.device[target].idle):
            party.step = SAMPLE
            push(state.events, tally.mark_ns + state.setting[0].idle_ns, mover)
            return ASLEEP
        _leave_queue(state, 0)
        if _reserve(state, mover, page, target):
            address = state.page[page].address
            add_access(state, mover, origin, 0, address * PAGE_BYTES, PAGE_BYTES)
            add_access(state, mover, target, 1, party.row * PAGE_BYTES, PAGE_BYTES)
            party.step = BEGIN
            return BEGIN
    party.step = ASLEEP
    for number in range(state.device.size):
        if not state.device[number].idle:
            return ASLEEP
    return ALL_IDLE


@njit(cache=True, _nrt=False, inner=True)
def move_read_pages(state, time, request):
    """Pages that wait for a move, and that an answered request has read, are written without another read."""
    setting, tally, place = state.setting[0], state.tally[0], 0
    while place < tally.queued and tally.free_writers > 0:
        move = state.queue[place]
        page, target = move.page, move.target
        if page < request.first or page >= request.first + request.pages or _is_stale(state, move):
            place += 1
            continue
        _leave_queue(state, place)
        writer = state.stack[setting.slots + tally.free_writers - 1]
        if _reserve(state, writer, page, target):
            tally.free_writers -= 1
            add_access(state, writer, target, 1, state.party[writer].row * PAGE_BYTES, PAGE_BYTES)
            state.party[writer].step = BEGIN
            push(state.events, time, writer)


@njit(cache=True, _nrt=False, inner=True)
def end_move(state, number):
    """A page is written: it is on its target now, unless it was rewritten or evicted meanwhile.

    Returns:
        Whether the page was moved.
    """
    party, tally = state.party[number], state.tally[0]
    page, target, record = party.page, party.target, state.page[party.page]
    record.queued = 0
    state.device[target].reserved -= 1
    is_moved = record.version == party.version
    if not is_moved:
        state.device[target].used -= 1
        tally.stale += 1
    else:
        tally.moves += 1
        tally.promotions += target < party.origin
        tally.ping_pong += target == record.left and tally.begun - record.moved <= PING_PONG
        state.device[party.origin].used -= 1
        if record.listed:
            leave_ring(state, page)
        settle(state, page, target, party.row)
    if number != mover_of(state):
        state.stack[state.setting[0].slots + tally.free_writers] = number
        tally.free_writers += 1
    return is_moved


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _is_stale(state, move):
    """Whether a page was written, evicted or moved since a policy named it."""
    return state.page[move.page].version != move.version


@njit(cache=True, _nrt=False, inner=True)
def _leave_queue(state, place):
    """Take an entry out of the queue."""
    state.tally[0].queued -= 1
    for following in range(place, state.tally[0].queued):
        entry, behind = state.queue[following], state.queue[following + 1]
        entry.page, entry.target, entry.version = behind.page, behind.target, behind.version


@njit(cache=True, _nrt=False, inner=True)
def _reserve(state, number, page, target):
    """Prepare the move of a page, and keep room for it; a target without room drops it.

    Moves take at most half of a device, so that requests always find pages to evict.
    """
    party, device = state.party[number], state.device[target]
    if free_pages(state, target) < 1 or device.reserved >= max(device.capacity // 2, 1):
        state.page[page].queued = 0
        state.tally[0].dropped += 1
        return False
    device.used += 1
    device.reserved += 1
    party.page, party.target, party.version = page, target, state.page[page].version
    party.origin, party.at, party.accesses = state.device_of[page], 0, 0
    party.row = new_address(state, page, target)
    return True
