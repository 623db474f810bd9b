"""The question of a decision point: features, forbidden actions, effects and rewards that a scenario declares.

Its functions are compiled like a policy's: both engines call the same code, which the type of the state determines
(`state.py`). A decision point without a question shows, allows and rewards what its station does by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import INNER, njit
from pmtwin.sim.control import Column
from pmtwin.sim.decisions.state import CompiledState, compiled_state, function_of, is_state_type
from pmtwin.sim.errors import InputError

NS = 1e-9
NO_BRANCH = "its function `act` returns a number that no branch of the router has"
_UNCOUNTED: Any = {**INNER, "_nrt": False}  # numba's stubs do not know `_nrt`
USUAL_REWARD = "minus the time until the request leaves the network, in s"


class Seen(NamedTuple):
    """The network at the time of a decision: S stations in the order of `Network.stations`, C classes.

    Fields:
        now_ns: time of the decision.
        waiting: shape (S or more,), int64, number of requests that wait in each queue.
        busy: shape (S or more,), int64, servers in use, requests at a shared station, clients of a source.
        class_waiting: shape (S or more, C or more), int64, waiting requests of each class, in a queue that asks.
        present: shape (C or more,), int64, requests of each class in the network.
        c, index, submitted_ns: class, number within the class and submission time of the request at a router. At a
            queue, where no request is chosen yet: -1, -1, `now_ns`.
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
    """A request when it leaves, and the reward of a decision about it becomes known.

    Fields:
        now_ns: the present time.
        decided_ns, submitted_ns: time of the decision, and of the request's submission.
        c, index: class of the request, and its number within the class.
        rejected_ns: the network's `rejection_ns` for a rejected request, 0.0 for others.
    """

    now_ns: float
    decided_ns: float
    submitted_ns: float
    c: int
    index: int  # type: ignore[assignment]  # the field takes the place of tuple.index
    rejected_ns: float


def _show(arrays: tuple[np.ndarray, ...], seen: Seen, features: np.ndarray):
    """No further features."""


def _allow(arrays: tuple[np.ndarray, ...], seen: Seen, action: int):
    """Every action is allowed."""
    return True


def _act(arrays: tuple[np.ndarray, ...], seen: Seen, action: int):
    """The action is the number of a branch."""
    return action


def minus_time_s(arrays: tuple[np.ndarray, ...] | tuple[()], features: np.ndarray, action: int, left: Left):
    """The usual reward: minus the time from the decision to its end, in s; a rejection counts as time too."""
    return -NS * (left.now_ns - left.decided_ns + left.rejected_ns)


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """What a scenario declares for a station that asks for decisions: a `Router`, or a `Queue` with `asks`.

    The functions are plain Python that numba can compile. They share `arrays`, of which each run has a copy.

    Args:
        features: shown after the station's own features; their values are clipped to their bounds.
        show: `show(arrays, seen, features)` fills in the features; `seen` is a `Seen`.
        allow: `allow(arrays, seen, action)` returns whether an action is possible now. It is called for the actions
            that the station allows; if it forbids all of them, all are possible.
        act: of a router: `act(arrays, seen, action)` carries out the chosen action in `arrays`, and returns the number
            of the branch that the request takes; the router's actions are those of `actions`.
        reward: `reward(arrays, features, action, left)` returns the reward of a decision; `left` is a `Left`.
        reward_is: the reward in words, with its unit.
        told: name of a station: the reward becomes known when the request leaves it. Empty, or if the request never
            leaves it: when the request leaves the network.
        actions: names of the actions, in place of those that the station gives.
        arrays: constants, or the memory of the functions. Questions of a network that declare the same array share its
            copy in a run.

    Raises:
        InputError: features without `show` or `show` without features; `act` with fewer than two names of actions; a
            `reward` without `reward_is`.
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
            names = [feature.name for feature in self.features]
            raise InputError(
                "features of a question", names, "features and a function `show` that fills them, or neither"
            )
        if self.acts and len(self.actions) < 2:
            raise InputError("actions of a question", self.actions, "two names or more, beside a function `act`")
        if self.reward is not minus_time_s and self.reward_is == USUAL_REWARD:
            raise InputError("reward_is of a question", self.reward_is, "the declared reward in words, with its unit")

    @property
    def masks(self) -> bool:
        """Whether the question may forbid actions."""
        return self.allow is not _allow

    @property
    def acts(self) -> bool:
        """Whether the question itself carries out the actions, which are then not branches of a router."""
        return self.act is not _act

    def state(self, copies: dict[int, np.ndarray] | None = None) -> CompiledState:
        """The question's state in one run: its functions, and copies of its arrays.

        Args:
            copies: id of an array -> its copy, for the questions of the same run so far; new copies are added.
        """
        copies = {} if copies is None else copies
        arrays = tuple(copies.setdefault(id(array), array.copy()) for array in self.arrays) or (np.zeros(0),)
        functions = {"show": self.show, "allow": self.allow, "act": self.act, "reward": self.reward}
        return compiled_state(arrays, functions)


def consult(question: Any, seen: Seen, bounds: np.ndarray, features: np.ndarray, mask: np.ndarray) -> None:
    """Fill in the features of a question, and remove the actions that it forbids from `mask`.

    Args:
        question: a `CompiledState`, or the empty tuple, with which nothing is done.
        bounds: shape (features, 2), (low, high) of each feature.
        features: shape (features,), the features that the question declares, to be filled.
        mask: shape (actions,), the actions that the station allows; shape (0,): all, and the question forbids none.
    """
    if question:
        _consult(question, seen, bounds, features, mask)


def branch_by(question: Any, seen: Seen, action: int, branches: int) -> int:
    """Number of the branch that a request takes at a router; the question carries out the action.

    Args:
        question: a `CompiledState`, or the empty tuple: the action is the branch.
        branches: number of branches of the router.

    Raises:
        IndexError: the question returns a number that is no branch.
    """
    return _branch(question, seen, np.int64(action), branches) if question else action


def reward_of(question: Any, features: np.ndarray, action: int, left: Left) -> float:
    """The reward of a decision: by the question or, for the empty tuple, `minus_time_s`."""
    if question:
        return _reward(question, features, np.int64(action), left)
    return minus_time_s((), features, action, left)


@overload(consult, jit_options=_UNCOUNTED)
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


@overload(branch_by, jit_options=_UNCOUNTED)
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
    """`Question.acts`, from the numba type of the question's state."""
    return function_of(kind, "act").py_func is not _act  # type: ignore[attr-defined]  # numba's dispatchers have it


_usual_reward = njit(minus_time_s, _nrt=False)


@overload(reward_of, jit_options=_UNCOUNTED)
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
