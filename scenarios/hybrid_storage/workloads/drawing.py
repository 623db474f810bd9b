"""Requests of one thread, drawn with given means.

Sizes are whole pages, geometric: of all distributions with that mean it is the one with the most entropy. The footprint
is cut into places of the mean size; a request begins at a place, or where the one before ended. Kind, size and gap of a
request do not depend on its place.

Numbers are drawn by strata: of n requests each has a quantile from a strip of its own, in random order. So the means
are those that were asked for in short runs also, and nothing else is less random.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.hybrid_storage.published import Traffic
from pmtwin.scenarios.hybrid_storage.workloads.shape import MEAN_REQUESTS, Shape
from pmtwin.sim.draws import GAP_BINS, gamma_table
from pmtwin.sim.errors import InputError
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Stream, make_stream

KB, US = 1024, 1e3
"""Bytes of the paper's KB, whose sizes are in steps of 4 KiB (section 4.2), and nanoseconds of a microsecond."""

_KIND, _SIZE, _GAP, _PLACE = range(4)
"""Last number of a spawn key: what is drawn."""

LEAST_PLACES = 8


def draw_requests(traffic: Traffic, shape: Shape, count: int, seed: int | np.random.SeedSequence) -> Stream:
    """The requests of a thread, `count` of them; the same seed gives the same bits.

    Raises:
        InputError: for requests that are smaller than a page on average, or too few pages.
    """
    mean_pages = traffic.size_kb * KB / PAGE_BYTES
    if mean_pages < 1.0:
        raise InputError("size_kb of a workload", traffic.size_kb, f"{PAGE_BYTES / KB:g} or more: a page")
    place_pages = round(mean_pages)
    pages = shape.footprint_pages or MEAN_REQUESTS * place_pages
    if pages < LEAST_PLACES * place_pages:
        least = f"{LEAST_PLACES * place_pages} or more ({LEAST_PLACES} requests of the mean size), or 0"
        raise InputError("footprint_pages", shape.footprint_pages, least)
    size = np.minimum(_geometric(_quantiles(_generator(seed, _SIZE), count), mean_pages), pages)
    write = _generator(seed, _KIND).permutation(count) >= round(traffic.read_percent / 100.0 * count)
    gap = _gamma(_quantiles(_generator(seed, _GAP), count), traffic.gap_us * US, shape.burstiness)
    begin = _begins(_generator(seed, _PLACE), size, pages, place_pages, shape)
    return make_stream(gap, begin * PAGE_BYTES, size * PAGE_BYTES, write)


def _generator(seed: int | np.random.SeedSequence, part: int) -> np.random.Generator:
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    return np.random.default_rng(np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, part)))


def _quantiles(rng: np.random.Generator, count: int) -> np.ndarray:
    """Uniform numbers in [0, 1) in random order, one from each of `count` strips."""
    return (rng.permutation(count) + rng.random(count)) / count


def _geometric(quantile: np.ndarray, mean: float) -> np.ndarray:
    """Whole numbers from 1 on with this mean: int64, as the shape of `quantile`."""
    if mean == 1.0:
        return np.ones(len(quantile), np.int64)
    return 1 + np.floor(np.log1p(-quantile) / np.log1p(-1.0 / mean)).astype(np.int64)


def _gamma(quantile: np.ndarray, mean: float, cov: float) -> np.ndarray:
    """Numbers of a gamma distribution with this coefficient of variation."""
    table, position = gamma_table(mean, cov), quantile * GAP_BINS
    low = position.astype(np.int64)
    return table[low] + (position - low) * (table[low + 1] - table[low])


def _begins(rng: np.random.Generator, size: np.ndarray, pages: int, place_pages: int, shape: Shape) -> np.ndarray:
    """First page of each request: int64."""
    count, places = len(size), pages // place_pages
    popularity = np.cumsum(np.arange(1, places + 1) ** -shape.skew)
    rank = np.minimum(np.searchsorted(popularity, rng.random(count) * popularity[-1]), places - 1)
    if shape.drift:
        rank = (rank - np.arange(count) // shape.drift) % places
    begin = rng.permutation(places)[rank] * place_pages
    if shape.sequential:
        begin = _continued(begin, size, rng.random(count) < shape.sequential, pages)
    return np.minimum(begin, pages - size)


def _continued(begin: np.ndarray, size: np.ndarray, follows: np.ndarray, pages: int) -> np.ndarray:
    """The first pages, where requests that follow begin at the end of the one before, and after the last page at 0."""
    follows[0] = False
    leader = np.maximum.accumulate(np.where(follows, 0, np.arange(len(size))))
    before = np.cumsum(size) - size
    return (begin[leader] + before - before[leader]) % pages
