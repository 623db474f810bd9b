"""Weight sharing (WS): each expert names a victim, one of them is evicted, errors cost weight (two-tier paper, III).

Time is divided into epochs. An error of an expert is a miss on a page that it named in the epoch; with shadow feedback,
every request for such a page. At the end of an epoch each weight is multiplied by beta to the power of the expert's
errors, unless these are fewer than a share of the misses (`threshold`); then a share of all weights is spread evenly
(fixed share, Herbster and Warmuth 1998). The paper names this update, its Algorithm 2, without printing it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement.cache import FILLED, HIT
from pmtwin.policies.replacement.directory import NOBODY, Directory, clear, enter, find, leave, make_directory
from pmtwin.policies.replacement.events import admit, evict, expect, hit, miss, victim
from pmtwin.policies.replacement.lines import Order
from pmtwin.policies.replacement.weights import spread_evenly
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform

LEARNER = np.dtype([
    ("beta", "f8"), ("share", "f8"), ("threshold", "f8"),
    ("epoch_misses", "i8"),  # length of an epoch, in misses with an eviction
    ("shadow", "i8"), ("sampled", "i8"), ("frozen", "i8"),  # frozen: whether the weights stay
    ("misses", "i8"), ("predictions", "i8"),  # misses with an eviction, and pages named, in this epoch
    ("key", "u8"), ("drawn", "u8"),  # random key, and numbers drawn with it
])  # fmt: skip


class Learner(NamedTuple):
    """Weights of e experts, and their predictions in this epoch.

    Fields:
        weights: shape (e,), with sum 1.
        errors: shape (e,), int64, errors in this epoch.
        predicted: directory of the pages that were named as victims in this epoch.
        experts: int64, for each place of `predicted` a bit mask of the experts that named the page.
        state: shape (1,), `LEARNER`.
    """

    weights: np.ndarray
    errors: np.ndarray
    predicted: Directory
    experts: np.ndarray
    state: np.ndarray


class SharedCache(NamedTuple):
    """A cache as `pmtwin.policies.replacement.cache.Cache`, under e experts that all see every request.

    Fields:
        directory: page -> line.
        orders: states of the experts.
        learner: weights of the experts.
        used: shape (1,), int64, number of lines with a page; lines are filled in order.
    """

    directory: Directory
    orders: tuple[Order, ...]
    learner: Learner
    used: np.ndarray


def make_learner(experts: int, key: int = 0, epoch_misses: int = 1, **values: float) -> Learner:
    """A learner with equal weights.

    Args:
        experts: number of experts.
        key: key of the random numbers, uint64.
        epoch_misses: length of an epoch, in misses with an eviction.
        **values: further fields of `LEARNER`: beta, share, threshold, shadow, sampled, frozen.
    """
    room = experts * epoch_misses
    learner = Learner(
        np.full(experts, 1.0 / experts), np.zeros(experts, np.int64), make_directory(room),
        np.zeros(room, np.int64), np.zeros(1, LEARNER),
    )  # fmt: skip
    for name, value in {"key": key, "epoch_misses": epoch_misses, **values}.items():
        learner.state[name] = value
    return learner


def make_shared(lines: int, orders: tuple, learner: Learner) -> SharedCache:
    """An empty cache; orders: states of the experts."""
    return SharedCache(make_directory(int(lines)), orders, learner, np.zeros(1, np.int64))


@njit(cache=True, _nrt=False, inner=True)
def choose(learner):
    """The expert whose victim is evicted: by the greatest weight (Algorithm 1), or drawn by the weights (the text)."""
    state, weights = learner.state[0], learner.weights
    if state.sampled == 0:
        return np.argmax(weights)
    number = high_uniform(bits(state.key, state.drawn, np.uint64(0)))
    state.drawn += np.uint64(1)
    expert = 0
    while expert < weights.size - 1 and number >= weights[expert]:
        number -= weights[expert]
        expert += 1
    return expert


@njit(cache=True, _nrt=False, inner=True)
def predict(learner, expert, page):
    """Note that an expert names a page as victim."""
    state = learner.state[0]
    place = find(learner.predicted, page)
    if place == NOBODY:
        place = state.predictions
        state.predictions += 1
        enter(learner.predicted, place, page)
        learner.experts[place] = 0
    learner.experts[place] |= 1 << expert


@njit(cache=True, _nrt=False, inner=True)
def judge(learner, page):
    """Count an error for each expert that named the requested page in this epoch."""
    if learner.state[0].predictions == 0:
        return
    place = find(learner.predicted, page)
    if place == NOBODY:
        return
    for expert in range(learner.errors.size):
        learner.errors[expert] += (learner.experts[place] >> expert) & 1


@njit(cache=True, _nrt=False, inner=True)
def count_miss(learner):
    """Count a miss with an eviction; the last one of an epoch updates the weights."""
    state = learner.state[0]
    state.misses += 1
    if state.misses < state.epoch_misses:
        return
    weights, errors = learner.weights, learner.errors
    if state.frozen == 0:
        for expert in range(weights.size):
            if errors[expert] >= state.threshold * state.misses:
                weights[expert] *= state.beta ** errors[expert]
        spread_evenly(weights, state.share)
    errors[:] = 0
    state.misses, state.predictions = 0, 0
    clear(learner.predicted)


@njit(cache=True, _nrt=False)
def access(cache, page, next_use, pins=None):
    """Request a page, as `pmtwin.policies.replacement.cache.access`."""
    orders, learner = cache.orders, cache.learner
    line = find(cache.directory, page)
    for e in range(len(orders)):
        expect(orders[e], next_use)
        if line >= 0:
            hit(orders[e], line)
        else:
            miss(orders[e], page)
    if line < 0 or learner.state[0].shadow != 0:
        judge(learner, page)
    if line >= 0:
        return HIT
    evicted = FILLED
    if cache.used[0] < cache.directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = _victim(cache, pins)
        evicted = cache.directory.pages[line]
        leave(cache.directory, line)
        for e in range(len(orders)):
            evict(orders[e], line, evicted)
        count_miss(learner)
    enter(cache.directory, line, page)
    for e in range(len(orders)):
        admit(orders[e], line)
    return evicted


@njit(cache=True, _nrt=False, inner=True)
def _victim(cache, pins):
    """The line to clear (Algorithm 1): every expert names a line without a pin, and the chosen expert's is taken."""
    expert, line = choose(cache.learner), np.int64(0)
    for e in range(len(cache.orders)):
        candidate = np.int64(victim(cache.orders[e], pins))
        predict(cache.learner, e, cache.directory.pages[candidate])
        if e == expert:
            line = candidate
    return line
