"""A hybrid storage event by event, compiled, until a policy is needed or enough requests are answered.

The code is the same whatever decides: `step` returns where a policy is needed, and goes on when it is called again
(`driving.py`), so that a new policy compiles in a second. Functions take a reference to the state.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred
from pmtwin.sim.hybrid.batches import begin_plan, plan_batch
from pmtwin.sim.hybrid.features import show_request
from pmtwin.sim.hybrid.moving import ALL_IDLE, end_move, move_read_pages, mover_of, next_move, sample, wake_mover
from pmtwin.sim.hybrid.options import ARRIVALS, CLOSED, OPEN
from pmtwin.sim.hybrid.planning import plan_promotion, plan_read, plan_write
from pmtwin.sim.hybrid.records import (
    ANSWERED,
    BEGIN,
    COME,
    DONE,
    EMPTY,
    LATENCY,
    MOVED_BATCH,
    MOVED_PAGE,
    NOBODY,
    PLACE,
    PLAN,
    SAMPLE,
)
from pmtwin.sim.hybrid.serving import begin_access, end_access, end_latency
from pmtwin.sim.stations.event_heap import push, remove_first
from pmtwin.sim.stations.lines import join_line, leave_line

IN_CLOSED_LOOP, WITHOUT_WAITING = ARRIVALS.index(CLOSED), ARRIVALS.index(OPEN)


@njit(cache=True, _nrt=False)
def start(state):
    """Schedule the first request of each thread."""
    setting = state.setting[0]
    first = setting.slots if setting.sources > 0 else 0
    for number in range(first, setting.slots + setting.sources):
        party = state.party[number]
        party.due_ns = state.request[party.next_row].gap_ns
        push(state.events, party.due_ns, number)


@njit(cache=True, nogil=True, _nrt=False)
def run_alone(state, until):
    """Process events until `until` requests are answered, where no policy decides."""
    step(referred(state), until)


@njit(cache=True, _nrt=False, inner=True)
def step(state, until):
    """Process events; returns what is needed of a policy (`PLACE` to `MOVED_BATCH`), and in the end `DONE`.

    Args:
        until: number of answered requests, counted from the start.
    """
    setting, tally, mover = state.setting[0], state.tally[0], mover_of(state)
    time, needs, tally.needs = tally.now_ns, tally.needs, DONE
    # what follows from an event: a source whose request begins in `slot`; a slot whose request is placed, is over, or
    # waits for moves; a participant whose access begins; whether the mover looks for a page
    source, slot, placed, over, waits, begins = NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY
    was_asked = needs == EMPTY
    moves = (was_asked and tally.queued > 0) or (needs == MOVED_PAGE and tally.who == mover)
    if needs == PLACE:
        placed = tally.who
    elif needs == PLAN:
        waits = tally.who
    elif needs == MOVED_BATCH:
        begins = tally.who
    elif needs == ANSWERED:
        over = tally.who
        if setting.moves:
            wake_mover(state, time)
    while True:
        if over != NOBODY:
            source, slot, over = _next_request(state, time, over), over, NOBODY
        if setting.every > 0:
            if waits != NOBODY:
                if plan_batch(state, waits):
                    tally.needs, tally.who = MOVED_BATCH, waits
                else:
                    source, slot = state.party[waits].source, waits
                waits = NOBODY
            elif source != NOBODY and tally.begun >= tally.next_plan and not tally.plans:
                begin_plan(state)
                state.party[slot].source = source
                tally.needs, tally.who, source = PLAN, slot, NOBODY
        if source != NOBODY:
            if _begin(state, time, slot, source):
                begins = slot
            elif setting.action != NOBODY:
                state.party[slot].action = setting.action
                placed = slot
            source = NOBODY
        if placed != NOBODY:
            if _place(state, time, placed):
                begins = placed
            placed = NOBODY
        if moves:
            following = _move(state, time)
            if following == BEGIN:
                begins = mover
            elif following == ALL_IDLE and not was_asked:  # where the page just named has no room, the mover sleeps
                tally.needs, tally.who = EMPTY, mover
            moves = was_asked = False
        if begins != NOBODY:
            begin_access(state, time, begins)
            begins = NOBODY
        if tally.needs != DONE or tally.answered >= until:
            return tally.needs
        time, number = state.events.times[0], state.events.numbers[0]
        remove_first(state.events)
        tally.now_ns = time
        party = state.party[number]
        if party.step == LATENCY:
            end_latency(state, time, number)
        elif party.step == COME:
            source = number
            slot = _slot_for(state, number)
            if slot == NOBODY:
                source = NOBODY
        elif party.step == BEGIN:
            begins = number
        elif party.step == SAMPLE:
            moves = True
        else:
            end_access(state, time, number)
            party.at += 1
            if party.at == party.evicted:
                party.evicting_ns = time - party.mark_ns
            elif party.at == party.evicts:
                party.mark_ns = time
            if party.at < party.accesses:
                begins = number
            elif party.moving:
                party.moving = 0
                waits = number
            elif number < setting.slots:
                _answer(state, time, number)
                if tally.needs == DONE:
                    over = number
            elif end_move(state, number):
                tally.needs, tally.who = MOVED_PAGE, number
            else:
                moves = number == mover


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _slot_for(state, number):
    """The slot of a request that comes; a source without a free slot waits for one."""
    tally, setting, party = state.tally[0], state.setting[0], state.party[number]
    if number < setting.slots:
        party.sent_ns = state.tally[0].now_ns
        return number
    if tally.free_slots == 0:
        join_line(state.lines, 6 * setting.devices, number)
        return NOBODY
    tally.free_slots -= 1
    return np.int64(state.stack[tally.free_slots])


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _begin(state, time, slot, source_number):
    """Begin the next request of a thread, and schedule the one after it where requests do not wait for answers.

    Returns:
        Whether its accesses begin; a write, and any request where reads are decisions too, is placed first.
    """
    party, source, tally = state.party[slot], state.party[source_number], state.tally[0]
    row = source.next_row
    source.next_row = row + 1 if row + 1 < source.first_row + source.rows else source.first_row
    if state.setting[0].arrivals == WITHOUT_WAITING:
        party.sent_ns = source.due_ns
        source.due_ns += state.request[source.next_row].gap_ns
        push(state.events, max(source.due_ns, time), source_number)
    party.row, party.at, party.evicting_ns = row, 0, 0.0
    tally.begun += 1
    request, setting = state.request[row], state.setting[0]
    if not request.write and not (setting.reads_decide and setting.action == NOBODY):
        plan_read(state, slot, request)
        return True
    if setting.action == NOBODY:
        show_request(state, slot, request)
        tally.decisions += 1
        tally.needs, tally.who = PLACE, slot
    return False


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _place(state, time, slot):
    """Plan a request for the device that was decided; whether it begins now, not after the time of a decision."""
    party, decision_ns = state.party[slot], state.setting[0].decision_ns
    request = state.request[party.row]
    if request.write:
        plan_write(state, slot, request, party.action)
    else:
        plan_promotion(state, slot, request, party.action)
    party.mark_ns = time + decision_ns  # where accesses that make room come first
    if decision_ns > 0.0:
        party.step = BEGIN
        push(state.events, time + decision_ns, slot)
    return decision_ns == 0.0


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _answer(state, time, slot):
    """A request is answered."""
    party, tally = state.party[slot], state.tally[0]
    party.latency_ns = time - party.sent_ns
    answer = state.answer[tally.answered % state.answer.size]
    answer.latency_ns, answer.row = party.latency_ns, party.row
    tally.answered += 1
    if tally.queued > 0 and not state.request[party.row].write:
        move_read_pages(state, time, state.request[party.row])
    if state.setting[0].tells:
        tally.needs, tally.who = ANSWERED, slot


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _next_request(state, time, slot):
    """Schedule the next request of a slot's thread; or the source whose request has waited for a slot, else -1."""
    party, tally, setting = state.party[slot], state.tally[0], state.setting[0]
    if setting.arrivals == WITHOUT_WAITING:
        source = leave_line(state.lines, 6 * setting.devices)
        if source == NOBODY:
            state.stack[tally.free_slots] = slot
            tally.free_slots += 1
        return np.int64(source)
    gap = state.request[party.next_row].gap_ns
    party.due_ns = time + gap if setting.arrivals == IN_CLOSED_LOOP else max(party.due_ns + gap, time)
    party.step = COME
    push(state.events, party.due_ns, slot)
    return NOBODY


@njit(cache=True, _nrt=False, forceinline=True, inner=True)
def _move(state, time):
    """Let the mover look for its next page, after a sample if the last one is old; returns as `next_move`."""
    if time >= state.tally[0].mark_ns + state.setting[0].idle_ns:
        sample(state, time)
    return next_move(state, time)
