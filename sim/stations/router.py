"""A station at which a policy chooses a request's branch: load balancing, dispatching, placement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.pending import allow, ask, branch_after, consult_question, remember, show
from pmtwin.sim.decisions.question import Question
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.stations.station import QUEUE, ROUTER, Draw, Process, Station, Visitor

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment

SHOWN = ("waiting", "busy")
"""Quantities of a station that a policy can see: waiting requests of a queue, busy servers."""

NEVER_MASKED, BY_ROOM, BY_QUESTION = range(3)
"""Rules for possible branches: all; those with room; those that the question allows. The question can also forbid
branches with room."""


@dataclass(frozen=True, kw_only=True)
class Router(Station):
    """A decision point that sends each arriving request to one of several branches, in no time.

    A branch is a list of stations. In the network's list, the branches follow the router one after another; a request
    that has passed its branch continues after the last branch.

    Args:
        branches: names of the stations of each branch.
        shown: pairs (station, `waiting` or `busy`): the router's features, in order.
        masked: whether a branch that begins with a full queue is impossible, unless all branches begin with one.
        question: further features, forbidden actions, effects of actions, and rewards.
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
                raise InputError(
                    f"{self.name}: masked", True, "False with a function `act`: its actions are no branches"
                )
        elif self.question is not None and len(self.question.actions) not in (0, len(self.branches)):
            allowed = f"no names, or {len(self.branches)}: one for each branch; other actions need a function `act`"
            raise InputError(f"{self.name}: actions", self.question.actions, allowed)

    @property
    def acts(self) -> bool:
        """Whether the question carries out the actions, which are then not branches."""
        return self.question is not None and self.question.acts

    def masks(self) -> int:
        """The rule for possible branches."""
        if self.masked:
            return BY_ROOM
        return BY_QUESTION if self.question is not None and self.question.masks else NEVER_MASKED

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int):
        return _Fork()


class _Fork(Process):
    """Passes requests on at once; the engine asks for the branch."""

    def visit(self, request: Visitor):
        yield from ()


@njit(cache=True, _nrt=False, inner=True)
def branch_of(plan, state, decisions, station, slot):
    """Ask for a request's branch, and return the branch's first station."""
    point = plan.point[station]
    for place in range(plan.shown_count[station]):
        observed, quantity = plan.shown[station, place] >> 1, plan.shown[station, place] & 1
        show(decisions, point, place, state.busy[observed] if quantity else state.waiting[observed])
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


@njit(cache=True, inner=True)
def _has_room(plan, state, station):
    """Whether a station accepts a request now. A full queue does, if its capacity is 0 and a server is free."""
    if plan.behaviour[station] != QUEUE or state.waiting[station] < plan.limit[station]:
        return True
    return state.waiting[station] == 0 and state.busy[station + 1] < plan.limit[station + 1]
