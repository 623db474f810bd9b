"""What a station that asks shows, allows, does and rewards beyond the usual: functions that a scenario declares.

They are compiled like a policy's functions: both engines call the same code, known by the type of its state
(`state.py`). A point without a question has no part of this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import njit
from pmtwin.sim.control import Column
from pmtwin.sim.decisions.state import CompiledState, compiled_state, function_of, is_state_type
from pmtwin.sim.errors import InputError

NS = 1e-9
NO_BRANCH = "it returns a number that no branch of the router has"
USUAL_REWARD = "minus the time until the request leaves the network, in s"


class Seen(NamedTuple):
    """The network at the moment of a decision; S stations in the order of its list, C classes.

    Fields:
        now_ns: the moment.
        waiting: shape (S or more,), int64, requests that wait in each queue.
        busy: shape (S or more,), int64, servers in use, requests at a shared station, clients of a source.
        class_waiting: shape (S or more, C or more), int64, those of each class, in a queue that asks.
        present: shape (C or more,), int64, requests of each class in the network.
        c, index, submitted_ns: of the request that is routed: its class, its number among those, when it was sent. At a
            queue, where it is not chosen yet: -1, -1, `now_ns`.
    """

    now_ns: float
    waiting: np.ndarray
    busy: np.ndarray
    class_waiting: np.ndarray
    present: np.ndarray
    c: int
    index: int  # type: ignore[assignment]  # the field takes the place of tuple.index
    submitted_ns: float


class Left(NamedTuple):
    """What is known of a request when the reward of a decision about it becomes known.

    Fields:
        now_ns: the moment. decided_ns, submitted_ns: when it was decided, and when the request was sent.
        c, index: class of the request, and its number among those.
        rejected_ns: 0.0, or the network's `rejection_ns` of a request that was rejected.
    """

    now_ns: float
    decided_ns: float
    submitted_ns: float
    c: int
    index: int  # type: ignore[assignment]  # the field takes the place of tuple.index
    rejected_ns: float


def _show(arrays, seen, features):
    """Nothing more."""


def _allow(arrays, seen, action):
    """Everything."""
    return True


def _act(arrays, seen, action):
    """The action is the number of a branch."""
    return action


def minus_time_s(arrays, features, action, left):
    """The usual reward: minus the time from the decision to its end, in s; a rejection counts as time too."""
    return -NS * (left.now_ns - left.decided_ns + left.rejected_ns)


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """What a scenario declares of a station that asks (`Router`, `Queue` with `asks`).

    The functions are plain ones that numba can compile, over `arrays`, of which each run has a copy.

    Args:
        features: shown behind what the station itself shows; clipped to their bounds.
        show: `show(arrays, seen, features)` fills them from what is `Seen`.
        allow: `allow(arrays, seen, action)`, whether an action is possible now, among those that the station allows;
            where none would be left, all of those are.
        act: of a router: `act(arrays, seen, action)` does in `arrays` what the chosen action means, and returns the
            number of the branch that the request takes; the router then has as many actions as `actions` names.
        reward: `reward(arrays, features, action, left)`, of a decision, from what is known when it is `Left`.
        reward_is: the reward in words, with its unit.
        told: station: the reward becomes known when the request leaves that; at the latest, and where no station is
            named, when it leaves the network.
        actions: names of the actions, in place of those that the station gives.
        arrays: constants, or what the functions remember. An array of several questions of a network is a single one in
            a run.
    """

    features: tuple[Column, ...] = ()
    show: Callable = _show
    allow: Callable = _allow
    act: Callable = _act
    reward: Callable = minus_time_s
    reward_is: str = USUAL_REWARD
    told: str = ""
    actions: tuple[str, ...] = ()
    arrays: tuple[np.ndarray, ...] = ()

    def __post_init__(self):
        if bool(self.features) != (self.show is not _show):
            wrong = [each.name for each in self.features]
            raise InputError(
                "features of a question", wrong, "features and a function `show` that fills them, or neither"
            )
        if self.acts and len(self.actions) < 2:
            raise InputError("actions of a question", self.actions, "two names or more, beside a function `act`")
        if self.reward is not minus_time_s and self.reward_is == USUAL_REWARD:
            raise InputError("reward_is of a question", self.reward_is, "the declared reward in words, with its unit")

    @property
    def masks(self) -> bool:
        """Whether it may forbid an action."""
        return self.allow is not _allow

    @property
    def acts(self) -> bool:
        """Whether its actions have a meaning of their own."""
        return self.act is not _act

    def state(self, copies: dict[int, np.ndarray] | None = None) -> CompiledState:
        """Its functions, with the arrays of one run.

        Args:
            copies: id of an array -> its copy, of the questions of the same run so far; this one's are added.
        """
        copies = {} if copies is None else copies
        arrays = tuple(copies.setdefault(id(array), array.copy()) for array in self.arrays) or (np.zeros(0),)
        functions = {"show": self.show, "allow": self.allow, "act": self.act, "reward": self.reward}
        return compiled_state(arrays, functions)


def consult(question: Any, seen: Seen, bounds: np.ndarray, features: np.ndarray, mask: np.ndarray) -> None:
    """Fill the features that a question declares, and forbid what it forbids.

    Args:
        question: a `CompiledState`, or the empty tuple: nothing is done.
        bounds: shape (features, 2). features: its own. mask: of what the station allows; shape (0,): all.
    """
    if question:
        _consult(question, seen, bounds, features, mask)


def branch_by(question: Any, seen: Seen, action: int, branches: int) -> int:
    """Number of the branch that a request takes at a router, after the question has done the action.

    Raises:
        IndexError: if there is no such branch.
    """
    return _branch(question, seen, np.int64(action), branches) if question else action


def reward_of(question: Any, features: np.ndarray, action: int, left: Left) -> float:
    """The reward of a decision."""
    if question:
        return _reward(question, features, np.int64(action), left)
    return minus_time_s((), features, action, left)


@overload(consult, jit_options={"_nrt": False})  # type: ignore[typeddict-unknown-key]  # numba's stubs
def _consult_by_type(question, seen, bounds, features, mask):
    if not is_state_type(question):
        return lambda question, seen, bounds, features, mask: None
    show, allow = function_of(question, "show"), function_of(question, "allow")

    def consulted(question, seen, bounds, features, mask):
        show(question.arrays, seen, features)
        for place in range(features.size):
            features[place] = min(max(features[place], bounds[place, 0]), bounds[place, 1])
        possible = 0
        for action in range(mask.size):
            if mask[action] and allow(question.arrays, seen, action):
                possible += 1
        for action in range(mask.size):
            if possible > 0 and mask[action] and not allow(question.arrays, seen, action):
                mask[action] = False

    return consulted


@overload(branch_by, jit_options={"_nrt": False})  # type: ignore[typeddict-unknown-key]  # numba's stubs
def _branch_by_type(question, seen, action, branches):
    if not (is_state_type(question) and acts(question)):
        return lambda question, seen, action, branches: action
    act = function_of(question, "act")

    def branched(question, seen, action, branches):
        branch = np.int64(act(question.arrays, seen, action))
        if branch < 0 or branch >= branches:
            raise IndexError(NO_BRANCH)
        return branch

    return branched


def acts(kind: Any) -> bool:
    """Whether a question's actions have a meaning of their own, by the numba type of its state."""
    return function_of(kind, "act").py_func is not _act  # type: ignore[attr-defined]  # numba's dispatchers have it


_usual_reward = njit(minus_time_s, _nrt=False)


@overload(reward_of, jit_options={"_nrt": False})  # type: ignore[typeddict-unknown-key]  # numba's stubs
def _reward_by_type(question, features, action, left):
    if is_state_type(question):
        function = function_of(question, "reward")
        return lambda question, features, action, left: function(question.arrays, features, action, left)
    return lambda question, features, action, left: _usual_reward(question, features, action, left)


@njit(cache=True, _nrt=False)
def _consult(question, seen, bounds, features, mask):
    consult(question, seen, bounds, features, mask)


@njit(cache=True, _nrt=False)
def _branch(question, seen, action, branches):
    return branch_by(question, seen, action, branches)


@njit(cache=True, _nrt=False)
def _reward(question, features, action, left):
    return float(reward_of(question, features, action, left))
