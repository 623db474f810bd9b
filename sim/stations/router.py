"""A station that asks which way a request goes on: load balancing, dispatching, placement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.pending import allow, ask, branch_after, consult_question, remember, show
from pmtwin.sim.decisions.question import Question
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.stations.station import QUEUE, ROUTER, Process, Station

SHOWN = ("waiting", "busy")
"""What can be shown of a station: requests in a queue, servers at work."""

NEVER_MASKED, BY_ROOM, BY_QUESTION = range(3)
"""Which branches are possible: all; those with room; those that a question allows (with room too, it may forbid)."""


@dataclass(frozen=True, kw_only=True)
class Router(Station):
    """A decision point that sends each arriving request to one of several branches at once.

    A branch is a list of stations. The branches follow the router in the network's list, one after another; after its
    branch, a request continues behind the last branch.

    Args:
        branches: names of the stations of each branch.
        shown: pairs (station, `waiting` or `busy`) that are observed, in order.
        masked: whether a branch that begins with a full queue is impossible, unless all branches do.
        question: further observations, forbidden actions, effects and rewards.
    """

    behaviour = ROUTER

    branches: tuple[tuple[str, ...], ...]
    shown: tuple[tuple[str, str], ...] = ()
    masked: bool = False
    question: Question | None = None

    def __post_init__(self):
        if len(self.branches) < 2 or not all(self.branches):
            raise InputError(f"{self.name}: branches", self.branches, "two or more, each of one station or more")
        for _, quantity in self.shown:
            if quantity not in SHOWN:
                raise unknown_name(f"{self.name}: shown", quantity, SHOWN)
        if self.acts:
            if self.masked:
                raise InputError(f"{self.name}: masked", True, "False beside a function `act`: an action is no branch")
        elif self.question is not None and len(self.question.actions) not in (0, len(self.branches)):
            allowed = f"{len(self.branches)} names, of the branches in order, or none; others beside a function `act`"
            raise InputError(f"{self.name}: actions", self.question.actions, allowed)

    @property
    def acts(self) -> bool:
        """Whether actions are not branches, but what the question declares."""
        return self.question is not None and self.question.acts

    def masks(self) -> int:
        """The rule for possible branches."""
        if self.masked:
            return BY_ROOM
        return BY_QUESTION if self.question is not None and self.question.masks else NEVER_MASKED

    def process(self, env, draw, priority: int):
        return _Fork()


class _Fork(Process):
    """Passes requests on at once; the network asks where to."""

    def visit(self, request):
        yield from ()


@njit(cache=True, _nrt=False)
def branch_of(plan, state, decisions, station, slot):
    """The first station of the branch that a request takes."""
    point = plan.point[station]
    for place in range(plan.shown_count[station]):
        of, quantity = plan.shown[station, place] >> 1, plan.shown[station, place] & 1
        show(decisions, point, place, state.busy[of] if quantity else state.waiting[of])
    if plan.masked[station] != NEVER_MASKED:
        full = True
        for branch in range(plan.branches[station] if plan.masked[station] == BY_ROOM else 0):
            full = full and not _has_room(plan, state, plan.branch[station, branch])
        for action in range(plan.actions[station]):
            allow(decisions, point, action, full or _has_room(plan, state, plan.branch[station, action]))
    c, index, submitted = state.slot_class[slot], np.int64(state.slot_index[slot]), state.slot_submitted[slot]
    consult_question(decisions, point, state, c, index, submitted)
    action = ask(decisions, point)
    remember(decisions, point, slot, action, state.now)
    branch = branch_after(decisions, point, state, c, index, submitted, action, plan.branches[station])
    return plan.branch[station, branch]


@njit(cache=True)
def _has_room(plan, state, station):
    if plan.behaviour[station] != QUEUE or state.waiting[station] < plan.limit[station]:
        return True
    return state.waiting[station] == 0 and state.busy[station + 1] < plan.limit[station + 1]
