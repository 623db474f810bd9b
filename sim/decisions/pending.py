"""The decisions of a run in compiled code: what is shown at each point, and whose reward is not known yet.

Whoever a decision is about (a request) is its holder, a small number. Its departure, from a station that the point
names or from the system, tells the rewards of the points that it has passed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import njit
from pmtwin.sim.decisions.by_place import COMPILED_ALONE, branch_at, consult_at, decide_at, observe_at, reward_at
from pmtwin.sim.decisions.point import GONE, MOST_IDLE, DecisionPoint
from pmtwin.sim.decisions.question import Left, Seen, acts
from pmtwin.sim.decisions.state import is_state_type

ASKED, TOLD, DROPPED, IDLE, IMPOSSIBLE, FIRST_IMPOSSIBLE, IDLE_IN_A_ROW, CALLED = range(8)
NO_QUESTION, CONSULTED, ACTED, REWARDED = range(4)
"""What is called of a question: nothing, `show` and `allow`, `act`, `reward`; it stays in `counts` after an error."""

NONE = -1


class Decisions(NamedTuple):
    """Points of a run, P of them, with what decides at each.

    Fields:
        states: of what decides, P of any kinds.
        questions: of the points, P of them: `Question.state`, or the empty tuple.
        sizes: shape (P, 4), int64: features, length of the mask (0: every action is always possible), actions, and the
            features that the station itself shows.
        bounds: shape (P, most features, 2), float64, of the features that questions declare, from place 0 on.
        told: shape (P,), int64, the station that tells the reward; `GONE`: only the departure from the system does.
        rewarded: shape (P,), bool, whether rewards are told.
        features: shape (P, most features), float64, those of the next decision.
        mask: shape (P, most actions), bool, of the next decision.
        row: shape (P, holders), int32, row of the holder's decision whose reward is not known; `NONE`: there is none.
        kept, action, since: shape (P, rows, ...), features, action and time in ns of those decisions.
        free: shape (P, rows), int32, a stack of rows not in use. free_count: shape (P,), int64.
        counts: shape (P, 8), int64: `COUNTS`, impossible answers, the first of those, decisions in a row to serve
            nobody while no server works, and what is called of the question.
    """

    states: tuple
    questions: tuple
    sizes: np.ndarray
    bounds: np.ndarray
    told: np.ndarray
    rewarded: np.ndarray
    features: np.ndarray
    mask: np.ndarray
    row: np.ndarray
    kept: np.ndarray
    action: np.ndarray
    since: np.ndarray
    free: np.ndarray
    free_count: np.ndarray
    counts: np.ndarray


def make_decisions(
    points: Sequence[DecisionPoint], states: Sequence, questions: Sequence, told: Sequence[int], holders: int
) -> Decisions | tuple[()]:
    """Nothing decided yet; without points the empty tuple, for which compiled code does nothing.

    Args:
        points: of the run. states: what decides at each. questions, told: as in `Decisions`.
        holders: whom a decision can be about at one time, at most.
    """
    if not points:
        return ()
    count, rows = len(points), max(min(point.most_pending, holders) for point in points)
    features, actions = (max(1, *(len(getattr(point, name)) for point in points)) for name in ("features", "actions"))
    sizes = [
        (len(each.features), len(each.actions) if each.masked else 0, len(each.actions), each.usual_features)
        for each in points
    ]
    bounds = np.zeros((count, features, 2))
    for place, point in enumerate(points):
        declared = point.features[point.usual_features :]
        bounds[place, : len(declared)] = [(column.low, column.high) for column in declared] or 0.0
    free = np.zeros((count, rows), np.int32)
    free_count = np.array([min(point.most_pending, holders) for point in points], np.int64)
    for place in range(count):
        free[place, : free_count[place]] = np.arange(free_count[place])[::-1]
    return Decisions(
        tuple(states), tuple(questions), np.array(sizes, np.int64), bounds, np.array(told, np.int64),
        np.array([bool(point.reward) for point in points]),
        np.zeros((count, features)), np.zeros((count, actions), np.bool_), np.full((count, holders), NONE, np.int32),
        np.zeros((count, rows, features)), np.zeros((count, rows), np.int64), np.zeros((count, rows)),
        free, free_count, np.zeros((count, CALLED + 1), np.int64),
    )  # fmt: skip


def grown(decisions: Decisions | tuple[()], points: Sequence[DecisionPoint], holders: int) -> Decisions | tuple[()]:
    """The same decisions with room for more holders."""
    if not isinstance(decisions, Decisions):
        return ()
    made = make_decisions(points, decisions.states, decisions.questions, decisions.told.tolist(), holders)
    larger = cast("Decisions", made)  # since there are points
    for name in ("features", "mask", "row", "kept", "action", "since", "counts"):
        old = getattr(decisions, name)
        getattr(larger, name)[tuple(slice(size) for size in old.shape)] = old
    for place in range(len(points)):
        taken = set(decisions.row[place][decisions.row[place] != NONE].tolist())
        free = [row for row in larger.free[place, : larger.free_count[place]].tolist() if row not in taken]
        larger.free[place, : len(free)], larger.free_count[place] = free, len(free)
    return larger


def _without_points(compiled: Callable, nothing: Callable) -> Callable:
    """The name under which compiled code calls a function, or `nothing` for the empty tuple of a run without points."""

    def called(decisions, *values):
        raise TypeError(COMPILED_ALONE)  # engine `simpy` asks in Python (`asking.py`)

    @overload(called)
    def by_type(decisions, *values):
        if hasattr(decisions, "instance_class"):
            return lambda decisions, *values: compiled(decisions, *values)
        return lambda decisions, *values: nothing(decisions, *values)

    return called


@njit(cache=True, _nrt=False)
def _ask(decisions, point):
    counts = decisions.counts
    features = decisions.features[point, : decisions.sizes[point, 0]]
    mask = decisions.mask[point, : decisions.sizes[point, 1]]
    action = decide_at(decisions.states, point, features, mask)
    counts[point, ASKED] += 1
    if action < 0 or action >= decisions.sizes[point, 2] or (mask.size > 0 and not mask[action]):
        if counts[point, IMPOSSIBLE] == 0:
            counts[point, FIRST_IMPOSSIBLE] = action
        counts[point, IMPOSSIBLE] += 1
        action = np.int64(np.argmax(mask)) if mask.size > 0 else np.int64(0)
    return action


@njit(cache=True, _nrt=False)
def _remember(decisions, point, holder, action, now):
    if not decisions.rewarded[point]:
        return
    if decisions.free_count[point] == 0:
        decisions.counts[point, DROPPED] += 1
        return
    decisions.free_count[point] -= 1
    row = decisions.free[point, decisions.free_count[point]]
    decisions.row[point, holder] = row
    decisions.action[point, row], decisions.since[point, row] = action, now
    for place in range(decisions.sizes[point, 0]):
        decisions.kept[point, row, place] = decisions.features[point, place]


@njit(cache=True, _nrt=False)
def _tell(decisions, holder, station, now, submitted, c, index, rejected_ns):
    for point in range(decisions.free_count.size):
        row = decisions.row[point, holder]
        if row == NONE or (station != GONE and station != decisions.told[point]):
            continue
        decisions.row[point, holder] = NONE
        decisions.free[point, decisions.free_count[point]] = row
        decisions.free_count[point] += 1
        decisions.counts[point, TOLD] += 1
        features = decisions.kept[point, row, : decisions.sizes[point, 0]]
        left = Left(now, decisions.since[point, row], submitted, c, index, rejected_ns)
        action = decisions.action[point, row]
        decisions.counts[point, CALLED] = REWARDED
        reward = reward_at(decisions.questions, point, features, action, left)
        decisions.counts[point, CALLED] = NO_QUESTION
        observe_at(decisions.states, point, features, action, reward)


@njit(cache=True, _nrt=False)
def _consult_question(decisions, point, seen):
    features = decisions.features[point, decisions.sizes[point, 3] : decisions.sizes[point, 0]]
    mask = decisions.mask[point, : decisions.sizes[point, 1]]
    decisions.counts[point, CALLED] = CONSULTED
    consult_at(decisions.questions, point, seen, decisions.bounds[point], features, mask)
    decisions.counts[point, CALLED] = NO_QUESTION


@njit(cache=True, _nrt=False)
def _branch_by_question(decisions, point, seen, action, branches):
    decisions.counts[point, CALLED] = ACTED
    branch = branch_at(decisions.questions, point, seen, action, branches)
    decisions.counts[point, CALLED] = NO_QUESTION
    return branch


@njit(cache=True, _nrt=False)
def _show(decisions, point, place, value):
    decisions.features[point, place] = value


@njit(cache=True, _nrt=False)
def _allow(decisions, point, action, possible):
    decisions.mask[point, action] = possible


@njit(cache=True, _nrt=False)
def _idles(decisions, plan, station):
    return plan.idles[station]


@njit(cache=True, _nrt=False)
def _may_idle(decisions, point):
    return int(decisions.counts[point, IDLE_IN_A_ROW] < MOST_IDLE)


@njit(cache=True, _nrt=False)
def _note_idle(decisions, point, idle, working):
    counts = decisions.counts[point]
    if idle:
        counts[IDLE] += 1
        counts[IDLE_IN_A_ROW] += not working
    elif counts[IMPOSSIBLE] == 0:
        counts[IDLE_IN_A_ROW] = 0
    return 0


@njit(cache=True, _nrt=False)
def _one(decisions):
    return 1


@njit(cache=True, _nrt=False)
def _nothing(decisions, *values):
    return 0


asks = _without_points(_one, _nothing)
"""(decisions): 1 if any station asks; known when the code is compiled, so that a run without points pays for none."""

show = _without_points(_show, _nothing)
"""(decisions, point, place, value): a feature of the next decision of a point."""

allow = _without_points(_allow, _nothing)
"""(decisions, point, action, possible): whether an action is possible in the next decision of a point."""

ask = _without_points(_ask, _nothing)
"""(decisions, point): the action for what was shown and allowed; a possible one in any case."""

idles = _without_points(_idles, _nothing)
"""(decisions, plan, station): 1 for a queue whose servers may stay idle though requests wait; nothing is read without
points."""

may_idle = _without_points(_may_idle, _nothing)
"""(decisions, point): 1 if nobody has to be served in the next decision of a point."""

note_idle = _without_points(_note_idle, _nothing)
"""(decisions, point, idle, working): where servers may stay idle it was decided, while some of them work or none."""

remember = _without_points(_remember, _nothing)
"""(decisions, point, holder, action, now): a decision is about a holder, whose departure will tell the reward."""

tell = _without_points(_tell, _nothing)
"""(decisions, holder, station, then as `Left`): the holder leaves a station, or the system (`GONE`)."""


def consult_question(decisions, point, state, c, index, submitted):
    """In compiled code: what the question of a point shows and forbids, from the state of a network."""
    raise TypeError(COMPILED_ALONE)


@overload(consult_question)
def _consult_if_any(decisions, point, state, c, index, submitted):
    if not (hasattr(decisions, "instance_class") and any(map(is_state_type, _questions(decisions)))):
        return lambda decisions, point, state, c, index, submitted: None

    def consulted(decisions, point, state, c, index, submitted):
        seen = Seen(state.now, state.waiting, state.busy, state.class_waiting, state.present, c, index, submitted)
        _consult_question(decisions, point, seen)

    return consulted


def branch_after(decisions, point, state, c, index, submitted, action, branches):
    """In compiled code: number of the branch that a request takes, after its question has done the action."""
    raise TypeError(COMPILED_ALONE)


@overload(branch_after)
def _branch_if_any(decisions, point, state, c, index, submitted, action, branches):
    if not (hasattr(decisions, "instance_class") and any(map(_acts, _questions(decisions)))):
        return lambda decisions, point, state, c, index, submitted, action, branches: action

    def branched(decisions, point, state, c, index, submitted, action, branches):
        seen = Seen(state.now, state.waiting, state.busy, state.class_waiting, state.present, c, index, submitted)
        return _branch_by_question(decisions, point, seen, action, branches)

    return branched


def _acts(question: Any) -> bool:
    return is_state_type(question) and acts(question)


def _questions(decisions: Any) -> tuple:
    """Types of the questions, of the type of `Decisions`."""
    return decisions.types[decisions.fields.index("questions")].types
