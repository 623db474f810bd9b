"""Pages that move on the path of a request, compiled: a policy plans moves, and the request waits until all are done.

They are requests to the devices, with the priority of those. As evictions, the pages are at their new places as soon as
their accesses are planned.
"""

from __future__ import annotations

from pmtwin.sim.compiling import njit
from pmtwin.sim.hybrid.pages import free_pages, leave_ring, new_address, settle
from pmtwin.sim.hybrid.planning import extend_from
from pmtwin.sim.hybrid.records import BATCH, NOBODY, PING_PONG
from pmtwin.sim.hybrid.stream import PAGE_BYTES


@njit(cache=True, _nrt=False, inner=True)
def begin_plan(state):
    """Prepare the plan of a policy: no moves yet, and the free pages that it is told of."""
    tally = state.tally[0]
    tally.plans, tally.next_plan = 1, tally.begun + state.setting[0].every
    tally.batch = tally.planned = 0
    state.plan[:] = NOBODY
    for number in range(state.device.size):
        state.free[number] = free_pages(state, number)


@njit(cache=True, _nrt=False, inner=True)
def is_possible(state):
    """Whether all moves of the plan name a page and a device that there are."""
    for place in range(state.plan.size):
        if state.plan[place] < NOBODY or state.plan[place] >= state.device_of.size * state.device.size:
            return False
    return True


@njit(cache=True, _nrt=False, inner=True)
def plan_batch(state, slot):
    """Plan the accesses of the next moves: pages are read, then written; adjacent ones are one access.

    A page that is at its target, or whose target has no room, does not move: `NOBODY` takes its place in the plan.

    Returns:
        Whether anything moves.
    """
    party, tally, devices = state.party[slot], state.tally[0], state.device.size
    party.accesses = party.at = party.evicts = party.evicted = 0
    tally.batch, moves = tally.planned, 0
    while moves < BATCH and tally.planned < state.plan.size and state.plan[tally.planned] != NOBODY:
        page, target = state.plan[tally.planned] // devices, state.plan[tally.planned] % devices
        origin, record = state.device_of[page], state.page[page]
        tally.planned += 1
        if origin == target or record.queued or free_pages(state, target) < 1:
            tally.dropped += origin != target
            state.plan[tally.planned - 1] = NOBODY
            continue
        extend_from(state, slot, 0, origin, 0, record.address * PAGE_BYTES)
        _change(state, page, origin, target)
        moves += 1
    first = party.accesses
    for place in range(tally.batch, tally.planned):
        if state.plan[place] != NOBODY:
            record = state.page[state.plan[place] // devices]
            record.queued = 0
            extend_from(state, slot, first, state.plan[place] % devices, 1, record.address * PAGE_BYTES)
    party.moving = moves > 0
    tally.plans = moves > 0
    return moves > 0


@njit(cache=True, _nrt=False, inner=True)
def _change(state, page, origin, target):
    """A page is on its target now; it is marked until the batch is planned, so that it moves once."""
    record, tally = state.page[page], state.tally[0]
    tally.moves += 1
    tally.promotions += target < origin
    tally.ping_pong += target == record.left and tally.begun - record.moved <= PING_PONG
    if record.listed:
        leave_ring(state, page)
    state.device[origin].used -= 1
    state.device[target].used += 1
    settle(state, page, target, new_address(state, page, target))
    record.queued = 1
