"""A configuration simulated beside its formulas: misses by replay of an LRU cache, p99 by the queues of a process."""

from __future__ import annotations

from typing import TypedDict

import numpy as np

from pmtwin.policies.replacement import make_cache, replay
from pmtwin.scenarios.two_tier.model import network
from pmtwin.scenarios.two_tier.simulated import BATCHES, WARM_UP
from pmtwin.scenarios.two_tier.sizing.popularity import characteristic_time, references
from pmtwin.scenarios.two_tier.sizing.search import LATE, Configuration, Search
from pmtwin.sim.engines import start_network
from pmtwin.sim.numerics.statistics import Interval, mean_interval, t_half

WARMING, MOST_WARMING, BLOCK = 2.0, 40_000_000, 1_000_000
"""Characteristic times of the cache before misses are counted, and references at most; the most popular pages are in it
at the start."""


class Compared(Interval):
    """An interval, what the formula gives, and its error in percent: None where the simulated mean is 0."""

    formula: float
    percent: float | None


class Checked(TypedDict):
    """What a configuration shows, simulated; `requests`: of a process."""

    miss_rate: Compared
    p99_ms: Compared
    requests: int


def checked(search: Search, configuration: Configuration, requests: int, seed: int) -> Checked:
    """Share of misses and p99 of a process, simulated (95 % over batches), beside their formulas.

    The queues have the simulated share of misses, so that the error of p99 is that of both formulas together.

    Args:
        requests: of the process, and references to its cache.
    """
    streams = np.random.SeedSequence(seed).spawn(2)
    misses = _misses(search, configuration, requests, np.random.default_rng(streams[0]))
    options = search.queues(configuration.page_bytes, configuration.processes, misses["mean"])
    rate = search.sizing.rate / configuration.processes
    run = start_network(network(options, rate, configuration.threads), seed=streams[1])
    run.run_window(max(int(WARM_UP * requests), 1))
    batches = [run.run_window(max(requests // BATCHES, 1)).latency_ns * 1e-6 for _ in range(BATCHES)]
    whole, parts = (np.percentile(values, 100.0 * (1.0 - LATE), axis=-1) for values in (np.ravel(batches), batches))
    half = float(t_half(parts))
    p99: Interval = {"mean": float(whole), "low": float(whole) - half, "high": float(whole) + half}
    return {
        "miss_rate": _comparison(misses, configuration.miss_rate),
        "p99_ms": _comparison(p99, configuration.p99_ms),
        "requests": requests,
    }


def _misses(search: Search, configuration: Configuration, count: int, rng: np.random.Generator) -> Interval:
    """Share of the requests that miss, with its interval."""
    sizing, lines = search.sizing, configuration.lines
    first_uses = sizing.pages_per_request(configuration.page_bytes)
    touched = first_uses * sizing.run_bytes / sizing.request_bytes
    pages = search.pages(configuration.page_bytes, configuration.processes)
    cache = make_cache("lru", min(lines, pages))
    replay(cache, np.arange(min(lines, pages), dtype=np.int64)[::-1].copy())
    warming = WARMING * characteristic_time(min(lines / pages, 1.0), sizing.skew) * pages
    for _ in range(-(-int(min(warming, MOST_WARMING)) // BLOCK)):
        replay(cache, references(pages, BLOCK, touched, sizing.skew, rng))
    batches = [references(pages, max(count // BATCHES, 1), touched, sizing.skew, rng) for _ in range(BATCHES)]
    return mean_interval([first_uses * replay(cache, batch) / batch.size for batch in batches])


def _comparison(simulated: Interval, formula: float) -> Compared:
    error = 100.0 * (formula / simulated["mean"] - 1.0) if simulated["mean"] > 0.0 else None
    return {**simulated, "formula": formula, "percent": error}
