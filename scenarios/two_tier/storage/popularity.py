"""The page of a client's request: uniform, by popularity that may drift, in order, or from a trace.

The popularity of ranks is a Zipf distribution, drawn exactly in constant time (Walker 1977, Vose 1991). Every request
has its own random bits, in any order of events; only a trace has one order for all clients. Under drift each page
repeatedly falls by one rank, and the least popular page becomes the most popular: pages appear and age. Drift counts
the requests answered by the whole system, so that all clients have the same ranks.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.two_tier.storage import draws
from pmtwin.scenarios.two_tier.storage.records import CHOICE, SEQUENTIAL, TRACE, UNIFORM, ZIPF, Storage
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, forceinline=True)
def requested_page(storage, number, count):
    """Page of a client's request number `count`; a trace advances by one request."""
    setting, process = storage.setting[0], storage.process[storage.client[number].process]
    if setting.pattern == UNIFORM:
        return storage.listed[process.first_page + draws.place_of(setting, number, count, process.page_count)]
    return _other_page(storage, process, number, count)


@njit(cache=True, _nrt=False, inner=True)
def _other_page(storage, process, number, count):
    setting, pages = storage.setting[0], process.page_count
    if setting.pattern == SEQUENTIAL:
        walkers = setting.clients // setting.processes if setting.local else setting.clients
        place = (number % walkers * setting.sweep + count % setting.sweep) * pages // (walkers * setting.sweep)
        return storage.listed[process.first_page + place]
    choice, tally = storage.choice, storage.tally[0]
    if setting.pattern == TRACE:
        page = storage.listed[tally.replayed % storage.listed.size]
        tally.replayed += 1
        return page
    rank, coin = draws.rank_of(setting, number, count, pages)
    if coin >= choice[process.first_page + rank].kept:
        rank = np.int64(choice[process.first_page + rank].other)
    return storage.listed[process.first_page + (rank + pages - fallen(setting, tally.requests) % pages) % pages]


@njit(cache=True, _nrt=False)
def fallen(setting, answered):
    """Number of ranks by which each page has fallen after `answered` requests."""
    if setting.drift == 0:
        return setting.fallen
    return setting.fallen + (answered - setting.drift_since) // setting.drift


def set_drift(storage: Storage, drift: int) -> None:
    """Change the drift; the present ranks stay."""
    setting, answered = storage.setting[0], int(storage.tally["requests"][0])
    setting["fallen"] = fallen(setting, answered)
    setting["drift_since"], setting["drift"] = answered, drift


def make_popular(storage: Storage, skew: float, seed: int) -> Storage:
    """The storage with Zipf popularity of pages, whose ranks are drawn.

    Args:
        storage: state before the first request; its list of pages is changed.
        skew: exponent of the Zipf distribution.
        seed: seed of the ranks.
    """
    rng, listed = np.random.default_rng(seed), storage.listed
    for first, end in _segments(storage):
        listed[first:end] = rng.permutation(listed[first:end])
    storage.setting["pattern"] = ZIPF
    popular = storage._replace(choice=np.zeros(len(listed), CHOICE))
    set_skew(popular, skew)
    return popular


def set_skew(storage: Storage, skew: float) -> None:
    """Change the exponent; the present ranks stay."""
    for first, end in _segments(storage):
        kept, other = alias_tables(np.arange(1, end - first + 1) ** -float(skew))
        storage.choice["kept"][first:end], storage.choice["other"][first:end] = kept, other


def replay_trace(storage: Storage, trace: np.ndarray) -> Storage:
    """The storage with the requests of a trace, in order, and from the start again after its end.

    Args:
        storage: state before the first request.
        trace: pages of the requests, shape (n,).
    """
    storage.setting["pattern"] = TRACE
    return storage._replace(listed=trace.astype(np.int32))


def alias_tables(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fields (kept, other) of `CHOICE` for draws with probabilities in proportion to `weights` (alias method)."""
    shares = weights * (len(weights) / weights.sum())
    kept, other = np.ones(len(weights)), np.arange(len(weights))
    small, large = np.flatnonzero(shares < 1.0).tolist(), np.flatnonzero(shares >= 1.0).tolist()
    while small and large:
        receiver, donor = small.pop(), large[-1]
        kept[receiver], other[receiver] = shares[receiver], donor
        shares[donor] -= 1.0 - shares[receiver]
        if shares[donor] < 1.0:
            small.append(large.pop())
    return kept, other.astype(np.int32)


def _segments(storage: Storage) -> list[tuple[int, int]]:
    """(first, end) of each part of the list of pages that has its own ranks."""
    places = {(int(process["first_page"]), int(process["page_count"])) for process in storage.process}
    return sorted((first, first + count) for first, count in places if count)
