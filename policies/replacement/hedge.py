"""Hedge over replacement policies: each expert runs a virtual cache, and the real cache follows one expert.

A virtual cache holds the pages' numbers alone, so that the misses of every expert are known (Gramacy, Warmuth, Brandt
and Ari, NIPS 2002). At the end of a window the weights are updated by fixed share (Herbster and Warmuth 1998). The
expert to follow is drawn by the weights, with as few changes as possible (a maximal coupling: Geulen, Voecking and
Winkler, COLT 2010). Pages outside the followed expert's cache are evicted first: after a change the real cache has at
most as many more misses as it has lines (Blum and Burch 2000). docs/two-tier.md gives the bound on the regret.

Pins hold for the real cache alone. A pinned stranger is passed over; where all strangers are pinned, a hand that goes
round the lines takes the next one that is not.
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
"""A line of the real cache: neighbours in the list of strangers, itself if it is none."""

HEDGE = np.dtype([
    ("rate", "f8"), ("share", "f8"),
    ("window", "i8"),  # misses of the worst expert that end a window
    ("chosen", "i8"),  # the expert that the real cache follows
    ("changes", "i8"),  # of the chosen expert, so far
    ("frozen", "i8"),  # weights and the chosen expert stay
    ("hand", "i8"),  # the line that went last for want of a stranger
    ("key", "u8"), ("drawn", "u8"),
])  # fmt: skip

_WORD = np.uint64(0)


class Hedge(NamedTuple):
    """State of e experts.

    Fields:
        weights, before: shape (e,), now and in the window before; they sum to 1.
        misses: shape (e,), int64, in this window.
        state: shape (1,), `HEDGE`.
    """

    weights: np.ndarray
    before: np.ndarray
    misses: np.ndarray
    state: np.ndarray


class HedgedCache(NamedTuple):
    """A real cache of n lines as `pmtwin.policies.replacement.cache.Cache`, and those of e experts with as many.

    Fields:
        directory: page -> line.
        strangers: shape (n + 1,), `STRANGER`; the last is the end of the list.
        experts: their caches.
        hedge: chooses between them.
        used: shape (1,), int64, lines with a page; the first ones.
    """

    directory: Directory
    strangers: np.ndarray
    experts: tuple[Cache, ...]
    hedge: Hedge
    used: np.ndarray


def make_hedged(
    experts: tuple[Cache, ...], key: int, window: float, rate: float, share: float, frozen: bool = False
) -> HedgedCache:
    """An empty cache; all experts have the same weight, and none is followed before `follow_drawn`.

    Args:
        experts: empty caches of the same size.
        key: of the random numbers, uint64.
        window: misses that end a window, for each line.
        rate, share, frozen: of `HEDGE`.
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
    """Follow an expert, drawn by the weights."""
    hedge.state["chosen"] = draw(hedge, hedge.weights)


@njit(cache=True, _nrt=False)
def draw(hedge, shares):
    """An expert, drawn by shares that are not negative."""
    state = hedge.state[0]
    number = high_uniform(bits(state.key, state.drawn, _WORD)) * shares.sum()
    state.drawn += np.uint64(1)
    expert = 0
    while expert < shares.size - 1 and number >= shares[expert]:
        number -= shares[expert]
        expert += 1
    return expert


@njit(cache=True, _nrt=False)
def close_window(hedge):
    """New weights; whether the chosen expert has changed."""
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
    """A request for a page, as `pmtwin.policies.replacement.cache.access`."""
    hedge, chosen, ended = cache.hedge, cache.hedge.state[0].chosen, False
    for expert in range(len(cache.experts)):
        gone = single.access(cache.experts[expert], page, next_use)
        if gone == HIT:
            continue
        hedge.misses[expert] += 1
        ended |= hedge.misses[expert] >= hedge.state[0].window
        if expert == chosen and gone >= 0:
            _estrange(cache, find(cache.directory, gone))
    gone = _follow(cache, page, pins)
    if ended and hedge.state[0].frozen == 0 and close_window(hedge):
        _change(cache)
    return gone


@njit(cache=True, _nrt=False)
def _follow(cache, page, pins):
    """Have a page, which the chosen expert has too; returns what `access` does."""
    directory, strangers = cache.directory, cache.strangers
    line = find(directory, page)
    if line >= 0:
        unlink(strangers, line)
        strangers[line].prev = strangers[line].next = line
        return HIT
    gone = FILLED
    if cache.used[0] < directory.pages.size:
        line = cache.used[0]
        cache.used[0] += 1
    else:
        line = _leaving(cache, pins)
        gone = directory.pages[line]
        leave(directory, line)
        unlink(strangers, line)
    strangers[line].prev = strangers[line].next = line
    enter(directory, line, page)
    return gone


@njit(cache=True, _nrt=False)
def _leaving(cache, pins):
    """The line that loses its page: of the strangers that may go the one that has been a stranger for longest."""
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


@njit(cache=True, _nrt=False)
def _estrange(cache, line):
    """The chosen expert has the page of a line no longer: it may go."""
    if line >= 0:
        append(cache.strangers, cache.directory.pages.size, line)


@njit(cache=True, _nrt=False)
def _change(cache):
    """Another expert is followed: pages that it lacks may be evicted."""
    strangers, directory, end = cache.strangers, cache.directory, cache.directory.pages.size
    leader = cache.experts[cache.hedge.state[0].chosen].directory
    strangers[end].prev = strangers[end].next = end
    for line in range(cache.used[0]):
        strangers[line].prev = strangers[line].next = line
        page = directory.pages[line]
        if find(leader, page) == NOBODY:
            _estrange(cache, line)
