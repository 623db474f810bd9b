"""Which page a client asks for: any alike, by popularity that may drift, its part in order, or the pages of a trace.

The popularity of ranks is a Zipf distribution, drawn exactly in constant time (Walker 1977, Vose 1991). Every request
has its own random bits, whoever is asked and in whatever order; only a trace has one order for all clients. Under drift
each page falls by one rank again and again, and the least popular one becomes the most popular: pages come, and age. It
goes by the requests answered so far, so that all clients want the same pages.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.two_tier.storage import draws
from pmtwin.scenarios.two_tier.storage.records import CHOICE, SEQUENTIAL, TRACE, UNIFORM, ZIPF, Storage
from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False, forceinline=True)
def requested_page(storage, number, count):
    """Page of a client's request; that of a trace is used up."""
    setting, process = storage.setting[0], storage.process[storage.client[number].process]
    if setting.pattern == UNIFORM:
        return storage.listed[process.first_page + draws.place_of(setting, number, count, process.page_count)]
    return _other_page(storage, process, number, count)


@njit(cache=True, _nrt=False)
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
    """Ranks by which each page has fallen when so many requests have been answered."""
    if setting.drift == 0:
        return setting.fallen
    return setting.fallen + (answered - setting.drift_since) // setting.drift


def set_drift(storage: Storage, drift: int) -> None:
    """Another drift, from now on and from the ranks of now."""
    setting, answered = storage.setting[0], int(storage.tally["requests"][0])
    setting["fallen"] = fallen(setting, answered)
    setting["drift_since"], setting["drift"] = answered, drift


def make_popular(storage: Storage, skew: float, seed: int) -> Storage:
    """The storage with pages of unlike popularity; which page has which rank is drawn.

    Args:
        skew: exponent of the Zipf distribution.
        seed: of the ranks.
    """
    rng, listed = np.random.default_rng(seed), storage.listed
    for first, end in _segments(storage):
        listed[first:end] = rng.permutation(listed[first:end])
    storage.setting["pattern"] = ZIPF
    made = storage._replace(choice=np.zeros(len(listed), CHOICE))
    set_skew(made, skew)
    return made


def set_skew(storage: Storage, skew: float) -> None:
    """Another exponent, from now on; the ranks stay."""
    for first, end in _segments(storage):
        kept, other = alias_tables(np.arange(1, end - first + 1) ** -float(skew))
        storage.choice["kept"][first:end], storage.choice["other"][first:end] = kept, other


def replay_trace(storage: Storage, trace: np.ndarray) -> Storage:
    """The storage whose clients take the pages of a trace, one after the other, again from its start at its end.

    Args:
        trace: shape (n,), numbers of pages.
    """
    storage.setting["pattern"] = TRACE
    return storage._replace(listed=trace.astype(np.int32))


def alias_tables(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(kept, other) of `CHOICE` for numbers in proportion to their weights."""
    shares = weights * (len(weights) / weights.sum())
    kept, other = np.ones(len(weights)), np.arange(len(weights))
    small, large = np.flatnonzero(shares < 1.0).tolist(), np.flatnonzero(shares >= 1.0).tolist()
    while small and large:
        less, more = small.pop(), large[-1]
        kept[less], other[less] = shares[less], more
        shares[more] -= 1.0 - shares[less]
        if shares[more] < 1.0:
            small.append(large.pop())
    return kept, other.astype(np.int32)


def _segments(storage: Storage) -> list[tuple[int, int]]:
    """(first, end) in the list of pages of those that have ranks together."""
    places = {(int(each["first_page"]), int(each["page_count"])) for each in storage.process}
    return sorted((first, first + count) for first, count in places if count)
