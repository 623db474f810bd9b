"""The storage under two policies, compiled: who places writes, and who moves pages."""

from __future__ import annotations

import numpy as np

from pmtwin.policies.tiering.events import ANSWERED as TOLD_OF_ANSWER
from pmtwin.policies.tiering.events import MOVE, MOVED, PLANNED, USED
from pmtwin.sim.compiling import njit
from pmtwin.sim.compiling.reference import referred
from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.events import event_function
from pmtwin.sim.hybrid.batches import is_possible
from pmtwin.sim.hybrid.kernel import step
from pmtwin.sim.hybrid.moving import enqueue
from pmtwin.sim.hybrid.records import ANSWERED, DONE, MOVED_BATCH, MOVED_PAGE, NOBODY, PLACE, PLAN
from pmtwin.sim.hybrid.scanning import scanned_page

IMPOSSIBLE = "it names a device that has no room for the request"
NO_MOVE, NO_PLAN = MOVE.refusal, PLANNED.refusal
MS = 1e-6
WAITS = 1
used, move, plan, answered, moved = map(event_function, (USED, MOVE, PLANNED, TOLD_OF_ANSWER, MOVED))


@njit(nogil=True, _nrt=False, cache=True)
def drive(storage, place, migrate, until, scan, idle_scan):
    """Run until `until` requests are answered, counted from the start.

    Args:
        storage: `State`.
        place: `CompiledState` of the policy that decides where writes go. migrate: of the one that moves pages.
        scan, idle_scan: how often the latter is asked after a request, and when devices are idle.
    """
    state = referred(storage)
    while True:
        needs = step(state, until)
        if needs == DONE:
            return
        who = state.tally[0].who
        if needs == PLACE:
            action = decide(place, state.features[who], state.mask)
            if action < 0 or action >= state.mask.size or not state.mask[action]:
                raise ValueError(IMPOSSIBLE)
            state.party[who].action = action
        elif needs == ANSWERED:
            tell(state, place, migrate, who)
            ask(state, migrate, scan, False)
        elif needs == MOVED_PAGE:
            party = state.party[who]
            moved(migrate, party.page, party.origin, party.target)
        elif needs == PLAN:
            plan(migrate, state.device_of, state.free, state.knobs, state.plan)
            if not is_possible(state):
                raise ValueError(NO_PLAN)
        elif needs == MOVED_BATCH:
            _tell_of_batch(state, migrate)
        else:
            ask(state, migrate, idle_scan, True)


@njit(_nrt=False, inner=True)
def _tell_of_batch(state, migrate):
    """Pages were moved on the path of a request."""
    devices = state.device.size
    for place in range(state.tally[0].batch, state.tally[0].planned):
        number = state.plan[place]
        if number != NOBODY:
            page = number // devices
            moved(migrate, page, np.int64(state.page[page].left), number % devices)


@njit(_nrt=False, inner=True)
def tell(state, place, migrate, who):
    """A request is answered: the reward of its placement is 1 / latency in 1/ms."""
    party, setting = state.party[who], state.setting[0]
    request, latency_ns = state.request[party.row], party.latency_ns
    is_write = request.write != 0
    if setting.own_time:
        latency_ns = latency_ns - party.evicting_ns
    if is_write or setting.reads_decide:
        observe(place, state.features[who], party.action, 1.0 / (latency_ns * MS))
    used(migrate, request.first, request.pages, is_write, state.device_of)
    answered(migrate, latency_ns, is_write)


@njit(_nrt=False, inner=True)
def ask(state, migrate, times, until_a_move):
    """Ask which page moves, so many times; no more where the answer is none, or in idle time one is to move."""
    for _ in range(times):
        answer = ask_once(state, migrate)
        if answer == NOBODY or (answer == WAITS and until_a_move):
            return


@njit(_nrt=False, forceinline=True, inner=True)
def ask_once(state, migrate):
    """Ask which page moves: `WAITS` if one waits for its move since, `NOBODY` if the answer is none, otherwise 0."""
    devices, pages = state.device.size, state.device_of.size
    page = scanned_page(state)
    features = state.features[state.features.shape[0] - 1]
    answer = move(migrate, page, features, state.device_of, state.oldest, state.free, state.knobs)
    if answer == NOBODY:
        return NOBODY
    if answer < 0 or answer >= pages * devices:
        raise ValueError(NO_MOVE)
    return WAITS if enqueue(state, answer // devices, answer % devices) else 0
