"""Simulation of a configuration, compared with its formulas: misses of an LRU cache, p99 of a process' queues."""

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
"""Warm-up of the cache, which starts with the most popular pages: number of characteristic times, largest number of
references; and number of references in a block."""


class Compared(Interval):
    """A simulated mean with its interval, the formula's value, and its error in percent (None for a mean of 0)."""

    formula: float
    percent: float | None


class Checked(TypedDict):
    """Results of a simulated configuration; `requests`: number of requests of a process."""

    miss_rate: Compared
    p99_ms: Compared
    requests: int


def checked(search: Search, configuration: Configuration, requests: int, seed: int) -> Checked:
    """Miss rate and p99 of a process, simulated (95 % intervals over batches), beside their formulas.

    The simulated queues have the simulated miss rate, so that the error of p99 includes the errors of both formulas.

    Args:
        search: search that found the configuration.
        configuration: the configuration.
        requests: number of requests of the process, and of references to its cache.
        seed: seed of the simulation.
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
    """Share of requests that miss, with its interval over batches."""
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
