"""Calls of the policy or the question of one decision point among several, by the point's index, in compiled code.

numba allows no variable index into a tuple of different types, so each function counts the index down. Each is written
out, since numba does not inline a function that is called with `*values`.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from pmtwin.sim.compiling import INNER
from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.question import branch_by, consult, reward_of

COMPILED_ALONE = "this function runs in compiled code only"


def consult_at(questions, point, seen, bounds, features, mask):
    """`consult` with the question of a decision point."""
    raise TypeError(COMPILED_ALONE)


@overload(consult_at, jit_options=INNER)
def _consult_at_place(questions, point, seen, bounds, features, mask):
    if len(questions.types) == 1:
        return lambda questions, point, seen, bounds, features, mask: consult(
            questions[0], seen, bounds, features, mask
        )

    def consulted(questions, point, seen, bounds, features, mask):
        if point == 0:
            consult(questions[0], seen, bounds, features, mask)
        else:
            consult_at(questions[1:], point - 1, seen, bounds, features, mask)

    return consulted


def branch_at(questions, point, seen, action, branches):
    """`branch_by` with the question of a decision point."""
    raise TypeError(COMPILED_ALONE)


@overload(branch_at, jit_options=INNER)
def _branch_at_place(questions, point, seen, action, branches):
    if len(questions.types) == 1:
        return lambda questions, point, seen, action, branches: branch_by(questions[0], seen, action, branches)

    def branched(questions, point, seen, action, branches):
        if point == 0:
            return branch_by(questions[0], seen, action, branches)
        return branch_at(questions[1:], point - 1, seen, action, branches)

    return branched


def reward_at(questions, point, features, action, left):
    """`reward_of` with the question of a decision point."""
    raise TypeError(COMPILED_ALONE)


@overload(reward_at, jit_options=INNER)
def _reward_at_place(questions, point, features, action, left):
    if len(questions.types) == 1:
        return lambda questions, point, features, action, left: reward_of(questions[0], features, action, left)

    def rewarded(questions, point, features, action, left):
        if point == 0:
            return reward_of(questions[0], features, action, left)
        return reward_at(questions[1:], point - 1, features, action, left)

    return rewarded


def decide_at(states, point, features, mask):
    """`decide` with the policy of a decision point."""
    raise TypeError(COMPILED_ALONE)


@overload(decide_at, jit_options=INNER)
def _decide_at_place(states, point, features, mask):
    if len(states.types) == 1:
        return lambda states, point, features, mask: np.int64(decide(states[0], features, mask))

    def decided(states, point, features, mask):
        if point == 0:
            return np.int64(decide(states[0], features, mask))
        return decide_at(states[1:], point - 1, features, mask)

    return decided


def observe_at(states, point, features, action, reward):
    """`observe` with the policy of a decision point."""
    raise TypeError(COMPILED_ALONE)


@overload(observe_at, jit_options=INNER)
def _observe_at_place(states, point, features, action, reward):
    if len(states.types) == 1:
        return lambda states, point, features, action, reward: observe(states[0], features, action, reward)

    def observed(states, point, features, action, reward):
        if point == 0:
            observe(states[0], features, action, reward)
        else:
            observe_at(states[1:], point - 1, features, action, reward)

    return observed
