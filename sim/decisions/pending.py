"""The decisions of a run in compiled code: the next decision of each point, and the decisions whose reward is pending.

The holder of a decision is the request that it is about, by its slot. When the holder leaves the station that the
point names, or else the system, the reward of its decision becomes known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import INNER, njit
from pmtwin.sim.decisions.by_place import COMPILED_ALONE, branch_at, consult_at, decide_at, observe_at, reward_at
from pmtwin.sim.decisions.point import GONE, MOST_IDLE, DecisionPoint
from pmtwin.sim.decisions.question import Left, Seen, acts
from pmtwin.sim.decisions.state import is_state_type

ASKED, TOLD, DROPPED, IDLE, IMPOSSIBLE, FIRST_IMPOSSIBLE, IDLE_IN_A_ROW, CALLED = range(8)
NO_QUESTION, CONSULTED, ACTED, REWARDED = range(4)
"""Functions of a question that are being called: none, `show` and `allow`, `act`, `reward`. After an error the number
stays in `counts`, so that the error can name the function."""

NONE = -1


class Decisions(NamedTuple):
    """The P decision points of a run.

    Fields:
        states: the policy of each point, of any types.
        questions: the state of each point's question (`Question.state`), or the empty tuple.
        sizes: shape (P, 4), int64: number of features, length of the mask (0: every action is always possible), number
            of actions, and number of features that the station itself shows.
        bounds: shape (P, most features, 2), float64: (low, high) of the features that questions declare.
        reward_station: shape (P,), int64, index of the station whose departures make rewards known; `GONE`: departures
            from the system.
        rewarded: shape (P,), bool, whether the policy gets rewards.
        features: shape (P, most features), float64, of the next decision.
        mask: shape (P, most actions), bool, of the next decision.
        row: shape (P, holders), int32, row of the holder's pending decision; `NONE`: it has none.
        pending_features, action, since: shape (P, rows, most features), (P, rows) and (P, rows): features, action and
            time (ns) of the pending decisions.
        free: shape (P, rows), int32, a stack of free rows. free_count: shape (P,), int64, its height.
        counts: shape (P, 8), int64, columns `ASKED` to `CALLED`: the four of `COUNTS`, impossible actions, the first of
            those, idle decisions in a row while no server works, and the function of the question that is being called.
    """

    states: tuple
    questions: tuple
    sizes: np.ndarray
    bounds: np.ndarray
    reward_station: np.ndarray
    rewarded: np.ndarray
    features: np.ndarray
    mask: np.ndarray
    row: np.ndarray
    pending_features: np.ndarray
    action: np.ndarray
    since: np.ndarray
    free: np.ndarray
    free_count: np.ndarray
    counts: np.ndarray


def make_decisions(
    points: Sequence[DecisionPoint], states: Sequence, questions: Sequence, reward_stations: Sequence[int], holders: int
) -> Decisions | tuple[()]:
    """The decisions at the start of a run; the empty tuple, for which compiled code does nothing, without points.

    Args:
        points: the decision points of the run.
        states, questions, reward_stations: one for each point; see `Decisions`.
        holders: largest number of requests in the system at once.
    """
    if not points:
        return ()
    count, rows = len(points), max(min(point.most_pending, holders) for point in points)
    features, actions = (max(1, *(len(getattr(point, name)) for point in points)) for name in ("features", "actions"))
    sizes = [
        (len(point.features), len(point.actions) if point.masked else 0, len(point.actions), point.usual_features)
        for point in points
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
        tuple(states), tuple(questions), np.array(sizes, np.int64), bounds, np.array(reward_stations, np.int64),
        np.array([bool(point.reward) for point in points]),
        np.zeros((count, features)), np.zeros((count, actions), np.bool_), np.full((count, holders), NONE, np.int32),
        np.zeros((count, rows, features)), np.zeros((count, rows), np.int64), np.zeros((count, rows)),
        free, free_count, np.zeros((count, CALLED + 1), np.int64),
    )  # fmt: skip


def grown(decisions: Decisions | tuple[()], points: Sequence[DecisionPoint], holders: int) -> Decisions | tuple[()]:
    """The same decisions with room for more holders."""
    if not isinstance(decisions, Decisions):
        return ()
    reward_stations = decisions.reward_station.tolist()
    # not the empty tuple, since there are points
    larger = cast("Decisions", make_decisions(points, decisions.states, decisions.questions, reward_stations, holders))
    for name in ("features", "mask", "row", "pending_features", "action", "since", "counts"):
        old = getattr(decisions, name)
        getattr(larger, name)[tuple(slice(size) for size in old.shape)] = old
    for place in range(len(points)):
        in_use = set(decisions.row[place][decisions.row[place] != NONE].tolist())
        free = [row for row in larger.free[place, : larger.free_count[place]].tolist() if row not in in_use]
        larger.free[place, : len(free)], larger.free_count[place] = free, len(free)
    return larger


def _without_points(compiled: Callable, nothing: Callable) -> Callable:
    """A function for compiled code: it calls `compiled` or, in a run without points (the empty tuple), `nothing`."""

    def chosen_by_type(decisions, *values):
        raise TypeError(COMPILED_ALONE)  # engine `simpy` asks in Python (`asking.py`)

    @overload(chosen_by_type, jit_options=INNER)
    def by_type(decisions, *values):
        if hasattr(decisions, "instance_class"):
            return lambda decisions, *values: compiled(decisions, *values)
        return lambda decisions, *values: nothing(decisions, *values)

    return chosen_by_type


@njit(cache=True, _nrt=False, inner=True)
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


@njit(cache=True, _nrt=False, inner=True)
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
        decisions.pending_features[point, row, place] = decisions.features[point, place]


@njit(cache=True, _nrt=False, inner=True)
def _tell(decisions, holder, station, now, submitted, c, index, rejected_ns):
    for point in range(decisions.free_count.size):
        row = decisions.row[point, holder]
        if row == NONE or (station != GONE and station != decisions.reward_station[point]):
            continue
        decisions.row[point, holder] = NONE
        decisions.free[point, decisions.free_count[point]] = row
        decisions.free_count[point] += 1
        decisions.counts[point, TOLD] += 1
        features = decisions.pending_features[point, row, : decisions.sizes[point, 0]]
        left = Left(now, decisions.since[point, row], submitted, c, index, rejected_ns)
        action = decisions.action[point, row]
        decisions.counts[point, CALLED] = REWARDED
        reward = reward_at(decisions.questions, point, features, action, left)
        decisions.counts[point, CALLED] = NO_QUESTION
        observe_at(decisions.states, point, features, action, reward)


@njit(cache=True, _nrt=False, inner=True)
def _consult_question(decisions, point, seen):
    features = decisions.features[point, decisions.sizes[point, 3] : decisions.sizes[point, 0]]
    mask = decisions.mask[point, : decisions.sizes[point, 1]]
    decisions.counts[point, CALLED] = CONSULTED
    consult_at(decisions.questions, point, seen, decisions.bounds[point], features, mask)
    decisions.counts[point, CALLED] = NO_QUESTION


@njit(cache=True, _nrt=False, inner=True)
def _branch_by_question(decisions, point, seen, action, branches):
    decisions.counts[point, CALLED] = ACTED
    branch = branch_at(decisions.questions, point, seen, action, branches)
    decisions.counts[point, CALLED] = NO_QUESTION
    return branch


@njit(cache=True, _nrt=False, inner=True)
def _show(decisions, point, place, value):
    decisions.features[point, place] = value


@njit(cache=True, _nrt=False, inner=True)
def _allow(decisions, point, action, possible):
    decisions.mask[point, action] = possible


@njit(cache=True, _nrt=False, inner=True)
def _idles(decisions, plan, station):
    return plan.idles[station]


@njit(cache=True, _nrt=False, inner=True)
def _may_idle(decisions, point):
    return int(decisions.counts[point, IDLE_IN_A_ROW] < MOST_IDLE)


@njit(cache=True, _nrt=False, inner=True)
def _note_idle(decisions, point, idle, working):
    counts = decisions.counts[point]
    if idle:
        counts[IDLE] += 1
        counts[IDLE_IN_A_ROW] += not working
    elif counts[IMPOSSIBLE] == 0:
        counts[IDLE_IN_A_ROW] = 0
    return 0


@njit(cache=True, _nrt=False, inner=True)
def _one(decisions):
    return 1


@njit(cache=True, _nrt=False, inner=True)
def _nothing(decisions, *values):
    return 0


asks = _without_points(_one, _nothing)
"""asks(decisions): 1 if any station asks for decisions, else 0. The compiler knows which, so that a run without points
costs nothing."""

show = _without_points(_show, _nothing)
"""show(decisions, point, place, value): set feature `place` of the next decision of a point."""

allow = _without_points(_allow, _nothing)
"""allow(decisions, point, action, possible): set whether an action is possible in the next decision of a point."""

ask = _without_points(_ask, _nothing)
"""ask(decisions, point): the policy's action; an impossible one is counted, and a possible one taken instead."""

idles = _without_points(_idles, _nothing)
"""idles(decisions, plan, station): 1 for a queue whose servers may stay idle though requests wait, else 0."""

may_idle = _without_points(_may_idle, _nothing)
"""may_idle(decisions, point): 1 if the next decision of a point may leave the server idle, else 0."""

note_idle = _without_points(_note_idle, _nothing)
"""note_idle(decisions, point, idle, working): count a decision of a point whose servers may stay idle; `idle`: whether
it leaves the server idle, `working`: whether any server of the station is busy."""

remember = _without_points(_remember, _nothing)
"""remember(decisions, point, holder, action, now): keep a decision about a holder until its reward is known."""

tell = _without_points(_tell, _nothing)
"""tell(decisions, holder, station, now, submitted, c, index, rejected_ns): the holder leaves a station, or the system
(`GONE`); the policies get the rewards that this makes known. The arguments after `station` are those of `Left`."""


def consult_question(decisions, point, state, c, index, submitted):
    """In compiled code: set the features and the mask of a point's question, from the state of a network."""
    raise TypeError(COMPILED_ALONE)


@overload(consult_question, jit_options=INNER)
def _consult_if_any(decisions, point, state, c, index, submitted):
    if not (hasattr(decisions, "instance_class") and any(map(is_state_type, _questions(decisions)))):
        return lambda decisions, point, state, c, index, submitted: None

    def consulted(decisions, point, state, c, index, submitted):
        seen = Seen(state.now, state.waiting, state.busy, state.class_waiting, state.present, c, index, submitted)
        _consult_question(decisions, point, seen)

    return consulted


def branch_after(decisions, point, state, c, index, submitted, action, branches):
    """In compiled code: number of the branch that a request takes; the point's question carries out the action."""
    raise TypeError(COMPILED_ALONE)


@overload(branch_after, jit_options=INNER)
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
    """Types of the questions, from the numba type of a `Decisions`."""
    return decisions.types[decisions.fields.index("questions")].types
