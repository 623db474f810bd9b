"""The delayed reward of moves, compiled (Harmonia, equation 3).

After x moves the agent waits for n answers. Meanwhile the next x moves are done, so that several groups may wait.
"""

from __future__ import annotations

import numpy as np

from pmtwin.policies.tiering.agents.learning import lower_edge, remember, stored
from pmtwin.policies.tiering.agents.parts import AGENT, INPUTS, MOST, PLACES, REWARDS
from pmtwin.policies.tiering.features import INTERVAL, SINCE_MOVE
from pmtwin.sim.compiling import njit

GROUPS = 16
"""Groups of moves that wait for their reward at most, one of which is being filled; further moves earn none."""

BY_MOVES, BY_LAST, BY_ALL = range(3)
"""Which decisions get a reward."""

COUNT, TOTAL, BEFORE = range(3)
"""Of a group: latencies counted when it was full, their sum in ms, and rate of requests before its first move."""

BITS, ACTION = 6, 56
"""Bits of each input's bin in a code, and the first bit of the action."""

DELAY = np.dtype([
    ("moves", "i8"), ("answers", "i8"), ("penalty", "f8"), ("writes", "i8"), ("credit", "i8"), ("difference", "i8"),
    ("counted", "i8"), ("total", "f8"), ("filled", "i8"), ("head", "i8"), ("waiting", "i8"), ("mark", "i8"),
    ("idle_only", "i8"), ("reads_only", "i8"), ("follows", "i8"),
])  # fmt: skip
"""Options; latencies so far and their sum in ms; moves of the group that is being filled; first group that waits, and
how many; number of the first experience since the last reward. `idle_only`: whether pages move by decisions in idle
time alone; `reads_only`: whether writes are counted elsewhere for trainings; `follows`: whether a request has been
answered since the last question."""


@njit(cache=True, _nrt=False)
def packed(agent, action):
    """The present inputs, all of which are bins, and an action in a whole number."""
    code, inputs, most = np.int64(action) << ACTION, agent[INPUTS], agent[MOST]
    for column in range(inputs.size):
        code |= np.int64(inputs[column] * most[column] + np.float32(0.5)) << (BITS * column)
    return code


@njit(cache=True, _nrt=False)
def unpack(agent, code):
    """Make the inputs in a code the present ones; returns the action."""
    inputs, most = agent[INPUTS], agent[MOST]
    for column in range(inputs.size):
        inputs[column] = np.float32((code >> (BITS * column)) & 63) / most[column]
    return code >> ACTION


@njit(cache=True, _nrt=False, inner=True)
def note_move(named, book, groups, sums, delay, page, target):
    """A page was moved: the decision that named it belongs to the group that is being filled."""
    state, code = delay[0], named[page]
    named[page] = -1
    if code < 0 or code >> ACTION != target or state.waiting == GROUPS - 1:
        return
    group = (state.head + state.waiting) % GROUPS
    if state.filled == 0:
        before = min(state.counted, state.answers)
        elapsed = state.total - sums[(state.counted - before) % sums.size]
        groups[group, BEFORE] = before / elapsed if elapsed > 0.0 else 0.0
    book[group, state.filled] = code
    state.filled += 1
    if state.filled == state.moves:
        groups[group, COUNT], groups[group, TOTAL] = state.counted, state.total
        state.filled = 0
        state.waiting += 1


@njit(cache=True, _nrt=False, inner=True)
def note_latency(agent, book, groups, sums, delay, latency_ms):
    """A request is answered: groups that have waited for n answers get their reward."""
    state = delay[0]
    state.counted += 1
    state.total += latency_ms
    sums[state.counted % sums.size] = state.total
    while state.waiting > 0 and state.counted - groups[state.head, COUNT] >= state.answers:
        group = state.head
        rate = state.answers / (state.total - groups[group, TOTAL])
        if state.difference:
            rate -= groups[group, BEFORE]
        reward = rate * agent[AGENT][0].scale - state.penalty / max(_mean_interval(agent, book[group]), 1.0)
        _give(agent, book[group], state, reward)
        state.head = (group + 1) % GROUPS
        state.waiting -= 1


@njit(cache=True, _nrt=False, inner=True)
def _mean_interval(agent, codes):
    """Mean of access and migration interval of the moved pages, in requests, by their bins."""
    places, total = agent[PLACES], 0.0
    for number in range(codes.size):
        for column in range(places.size):
            if places[column] == INTERVAL or places[column] == SINCE_MOVE:
                total += lower_edge((codes[number] >> (BITS * column)) & 63)
    return total / codes.size


@njit(cache=True, _nrt=False, inner=True)
def _give(agent, codes, state, reward):
    """Give a reward to the decisions that get it."""
    record, rewards = agent[AGENT][0], agent[REWARDS]
    if state.credit == BY_ALL:
        for number in range(max(state.mark, record.added - rewards.size), record.added):
            rewards[number % rewards.size] = stored(record, reward)
        state.mark = record.added
        return
    for number in range(codes.size):
        earns = state.credit == BY_MOVES or number == codes.size - 1
        remember(agent, unpack(agent, codes[number]), reward if earns else 0.0)
