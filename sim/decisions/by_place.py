"""In compiled code: what decides at a point of several, and its question, each by its place.

A tuple of unlike types has no index that is known at run time, so that the place is counted down. Each function is
written out, since numba inlines none that is called with `*values`.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload

from pmtwin.sim.decisions.choice import decide, observe
from pmtwin.sim.decisions.question import branch_by, consult, reward_of

COMPILED_ALONE = "in compiled code alone"


def consult_at(questions, point, seen, bounds, features, mask):
    """Consults the question in that place."""
    raise TypeError(COMPILED_ALONE)


@overload(consult_at)
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
    """The branch by the question in that place."""
    raise TypeError(COMPILED_ALONE)


@overload(branch_at)
def _branch_at_place(questions, point, seen, action, branches):
    if len(questions.types) == 1:
        return lambda questions, point, seen, action, branches: branch_by(questions[0], seen, action, branches)

    def branched(questions, point, seen, action, branches):
        if point == 0:
            return branch_by(questions[0], seen, action, branches)
        return branch_at(questions[1:], point - 1, seen, action, branches)

    return branched


def reward_at(questions, point, features, action, left):
    """The reward by the question in that place."""
    raise TypeError(COMPILED_ALONE)


@overload(reward_at)
def _reward_at_place(questions, point, features, action, left):
    if len(questions.types) == 1:
        return lambda questions, point, features, action, left: reward_of(questions[0], features, action, left)

    def rewarded(questions, point, features, action, left):
        if point == 0:
            return reward_of(questions[0], features, action, left)
        return reward_at(questions[1:], point - 1, features, action, left)

    return rewarded


def decide_at(states, point, features, mask):
    """The action of the state in that place."""
    raise TypeError(COMPILED_ALONE)


@overload(decide_at)
def _decide_at_place(states, point, features, mask):
    if len(states.types) == 1:
        return lambda states, point, features, mask: np.int64(decide(states[0], features, mask))

    def decided(states, point, features, mask):
        if point == 0:
            return np.int64(decide(states[0], features, mask))
        return decide_at(states[1:], point - 1, features, mask)

    return decided


def observe_at(states, point, features, action, reward):
    """Tells the state in that place."""
    raise TypeError(COMPILED_ALONE)


@overload(observe_at)
def _observe_at_place(states, point, features, action, reward):
    if len(states.types) == 1:
        return lambda states, point, features, action, reward: observe(states[0], features, action, reward)

    def observed(states, point, features, action, reward):
        if point == 0:
            observe(states[0], features, action, reward)
        else:
            observe_at(states[1:], point - 1, features, action, reward)

    return observed
