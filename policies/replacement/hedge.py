"""Hedge over replacement policies: each expert runs a virtual cache, and the real cache follows one expert.

A virtual cache has only the pages' numbers, and shows the misses of its expert (Gramacy, Warmuth, Brandt and Ari, NIPS
2002). At the end of a window the weights are updated by fixed share (Herbster and Warmuth 1998). The expert to follow
is drawn by the weights, with as few changes as possible (a maximal coupling: Geulen, Voecking and Winkler, COLT 2010).
The real cache first evicts *strangers*: pages that the followed expert's cache does not have. So each change of the
expert costs at most as many additional misses as the cache has lines (Blum and Burch 2000). docs/two-tier.md gives the
bound on the regret.

Pins hold for the real cache only. Pinned strangers are skipped; if all strangers are pinned, a hand that circles over
the lines takes the next line without a pin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement import cache as single
from pmtwin.policies.replacement.cache import FILLED, HIT, Cache
from pmtwin.policies.replacement.directory import NOBODY, Directory, enter, find, leave, make_directory
from pmtwin.policies.replacement.lines import append, is_pinned, unlink
from pmtwin.policies.replacement.weights import spread_evenly
from pmtwin.sim.compiling import njit
from pmtwin.sim.draws import bits, high_uniform

STRANGER = np.dtype([("prev", "i4"), ("next", "i4")])
"""A line of the real cache: its neighbours in the list of strangers; a line that is no stranger points to itself."""

HEDGE = np.dtype([
    ("rate", "f8"), ("share", "f8"),
    ("window", "i8"),  # a window ends when an expert has this many misses
    ("chosen", "i8"),  # the expert that the real cache follows
    ("changes", "i8"),  # number of changes of the chosen expert so far
    ("frozen", "i8"),  # whether the weights and the chosen expert stay
    ("hand", "i8"),  # the last line that was cleared because all strangers were pinned
    ("key", "u8"), ("drawn", "u8"),  # random key, and numbers drawn with it
])  # fmt: skip

_WORD = np.uint64(0)


class Hedge(NamedTuple):
    """State of e experts.

    Fields:
        weights: shape (e,), with sum 1.
        before: shape (e,), workspace: the weights of the window before, while a window is closed.
        misses: shape (e,), int64, misses in this window.
        state: shape (1,), `HEDGE`.
    """

    weights: np.ndarray
    before: np.ndarray
    misses: np.ndarray
    state: np.ndarray


class HedgedCache(NamedTuple):
    """A real cache of n lines, and the virtual caches of e experts with n lines each.

    Fields:
        directory: page -> line.
        strangers: shape (n + 1,), `STRANGER`; the last record is the end of the list.
        experts: the virtual caches.
        hedge: state of the choice between the experts.
        used: shape (1,), int64, number of lines with a page; lines are filled in order.
    """

    directory: Directory
    strangers: np.ndarray
    experts: tuple[Cache, ...]
    hedge: Hedge
    used: np.ndarray


def make_hedged(
    experts: tuple[Cache, ...], key: int, window: float, rate: float, share: float, frozen: bool = False
) -> HedgedCache:
    """An empty cache with equal weights of the experts; call `follow_drawn` before the first request.

    Args:
        experts: empty caches of the same size.
        key: key of the random numbers, uint64.
        window: number of misses that end a window, as a multiple of the lines.
        rate, share, frozen: as in `HEDGE`.
    """
    lines, count = experts[0].directory.pages.size, len(experts)
    strangers, state = np.zeros(lines + 1, STRANGER), np.zeros(1, HEDGE)
    strangers["prev"] = strangers["next"] = np.arange(lines + 1)
    values = {"rate": rate, "share": share, "window": max(round(window * lines), 1), "key": key, "frozen": frozen}
    for name, value in values.items():
        state[name] = value
    hedge = Hedge(np.full(count, 1.0 / count), np.zeros(count), np.zeros(count, np.int64), state)
    return HedgedCache(make_directory(lines), strangers, experts, hedge, np.zeros(1, np.int64))


def follow_drawn(hedge: Hedge) -> None:
    """Draw the expert to follow by the weights."""
    hedge.state["chosen"] = draw(hedge, hedge.weights)


@njit(cache=True, _nrt=False)
def draw(hedge, shares):
    """An expert drawn with probabilities in proportion to `shares`, which are not negative."""
    state = hedge.state[0]
    number = high_uniform(bits(state.key, state.drawn, _WORD)) * shares.sum()
    state.drawn += np.uint64(1)
    expert = 0
    while expert < shares.size - 1 and number >= shares[expert]:
        number -= shares[expert]
        expert += 1
    return expert


@njit(cache=True, _nrt=False, inner=True)
def close_window(hedge):
    """Update the weights and draw the expert to follow; returns whether it has changed."""
    state, weights, before, misses = hedge.state[0], hedge.weights, hedge.before, hedge.misses
    least = misses[np.argmin(misses)]
    for expert in range(weights.size):
        before[expert] = weights[expert]
        weights[expert] *= math.exp(-state.rate * (misses[expert] - least) / state.window)
        misses[expert] = 0
    spread_evenly(weights, state.share)
    number = high_uniform(bits(state.key, state.drawn, _WORD))
    state.drawn += np.uint64(1)
    if number * before[state.chosen] < weights[state.chosen]:
        return False
    for expert in range(weights.size):
        before[expert] = max(weights[expert] - before[expert], 0.0)
    state.chosen = draw(hedge, before)
    state.changes += 1
    return True


@njit(cache=True, _nrt=False)
def access(cache, page, next_use, pins=None):
    """Request a page, as `pmtwin.policies.replacement.cache.access`."""
    hedge, chosen, ended = cache.hedge, cache.hedge.state[0].chosen, False
    for expert in range(len(cache.experts)):
        evicted = single.access(cache.experts[expert], page, next_use)
        if evicted == HIT:
            continue
        hedge.misses[expert] += 1
        ended |= hedge.misses[expert] >= hedge.state[0].window
        if expert == chosen and evicted >= 0:
            _estrange(cache, find(cache.directory, evicted))
    evicted = _follow(cache, page, pins)
    if ended and hedge.state[0].frozen == 0 and close_window(hedge):
        _change(cache)
    return evicted


@njit(cache=True, _nrt=False, inner=True)
def _follow(cache, page, pins):
    """Request a page from the real cache; the chosen expert has it by now. Returns what `access` returns."""
    directory, strangers = cache.directory, cache.strangers
    line = find(directory, page)
    if line >= 0:
        unlink(strangers, line)
        strangers[line].prev = strangers[line].next = line
        return HIT
    evicted = FILLED
    if cache.used[0] < directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = _victim(cache, pins)
        evicted = directory.pages[line]
        leave(directory, line)
        unlink(strangers, line)
    strangers[line].prev = strangers[line].next = line
    enter(directory, line, page)
    return evicted


@njit(cache=True, _nrt=False, inner=True)
def _victim(cache, pins):
    """The line to clear: the oldest stranger without a pin, or else the next line of the hand without a pin."""
    strangers, end = cache.strangers, cache.directory.pages.size
    line = strangers[end].next
    while line != end and is_pinned(pins, line):
        line = strangers[line].next
    if line != end:
        return np.int64(line)
    state = cache.hedge.state[0]
    state.hand = (state.hand + 1) % end
    while is_pinned(pins, state.hand):
        state.hand = (state.hand + 1) % end
    return state.hand


@njit(cache=True, _nrt=False, inner=True)
def _estrange(cache, line):
    """Make a line a stranger, since the chosen expert has evicted its page; `line` may be `NOBODY`."""
    if line >= 0:
        append(cache.strangers, cache.directory.pages.size, line)


@njit(cache=True, _nrt=False, inner=True)
def _change(cache):
    """Make the pages that a newly chosen expert does not have strangers, and no others."""
    strangers, directory, end = cache.strangers, cache.directory, cache.directory.pages.size
    leader = cache.experts[cache.hedge.state[0].chosen].directory
    strangers[end].prev = strangers[end].next = end
    for line in range(cache.used[0]):
        strangers[line].prev = strangers[line].next = line
        page = directory.pages[line]
        if find(leader, page) == NOBODY:
            _estrange(cache, line)
