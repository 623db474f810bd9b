"""`pmtwin bench two-tier`: speed of replays by replacement policies, of queues against SimPy, and of the formulas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from pmtwin.bench import SEED, Request, race
from pmtwin.bench.race import Case, show
from pmtwin.bench.timing import Work
from pmtwin.policies.making import single_policy
from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replacement_names, replay
from pmtwin.scenarios.two_tier.formulas import equilibrium
from pmtwin.scenarios.two_tier.model import network
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.engines import NetworkRun, start_network
from pmtwin.sim.stations import Arrivals, Network, Queue, Router, Servers

__all__ = ["measure", "show"]

USERS = "pmtwin.bench.users_lru:UsersLru"
"""A replacement policy outside the shared kernel."""

PAGES, SKEW, REQUESTS = 270_000, 0.7, 1_000_000
LINES = (2_700, 27_000)
"""Sizes of the cache in lines: 1 % and 10 % of the pages."""

WINDOWS = {"compiled": 100_000, "simpy": 1_000}
RATE, THREADS = 100.0, 16
EVALUATIONS = 1_000
PROCESSES, WHOLE = 8, 200_000


def measure(request: Request) -> dict:
    """Time each policy at two sizes of the cache, both engines, and the formulas."""
    return race.measure("requests", [*_replays(), _queues(), _loops(), _formulas()], request)


def _replays() -> list[Case]:
    """Replays of the same requests with Zipf popularity; caches keep their content between samples."""
    rng = np.random.default_rng(SEED)
    popularity = np.cumsum(np.arange(1, PAGES + 1) ** -SKEW)
    places = rng.permutation(PAGES)[np.searchsorted(popularity, rng.random(REQUESTS) * popularity[-1])]
    pages, future = places.astype(np.int64), next_uses(places)
    specs = {**dict(zip(replacement_names(), replacement_names(), strict=True)), "user's lru": USERS}
    return [
        Case(f"replay, {lines:,} lines", {name: _replay(spec, lines, pages, future) for name, spec in specs.items()})
        for lines in LINES
    ]


def _replay(spec: str, lines: int, pages: np.ndarray, future: np.ndarray) -> Work:
    ahead, warm = future if is_clairvoyant(spec) else None, make_cache(spec, lines, SEED)

    def work() -> int:
        replay(make_cache(spec, lines, SEED) if is_clairvoyant(spec) else warm, pages, ahead)
        return len(pages)

    work()
    return work


def _requests_of(run: NetworkRun, requests: int) -> int:
    """Number of requests of a window."""
    return len(run.run_window(requests).classes)


def _queues() -> Case:
    """The example of section V."""
    options = TwoTierOptions()
    contenders: dict[str, Callable[[], int]] = {}
    for engine, requests in WINDOWS.items():
        run = start_network(network(options, RATE, THREADS), engine, SEED)
        contenders[engine] = partial(_requests_of, run, requests)
        contenders[engine]()
    return Case("queues of a process", contenders)


def _loops() -> Case:
    """The event loop of the whole system against the general loop of networks, with a network of a router and threads.

    The network has no caches, I/O threads and disks, so that the ratio is a lower bound of the cost of the general
    loop.
    """
    system = WORKLOADS["table-viii"].system(PROCESSES, read_costs()[0])._replace(requests=WHOLE)
    threads = [(f"queue {number}", f"threads {number}") for number in range(PROCESSES)]
    stations = [Arrivals("requests", rate_ops=PROCESSES * 1e5), Router("process", branches=tuple(threads))]
    for queue, servers in threads:
        stations += [Queue(queue), Servers(servers, servers=system.threads, mean_ns=1e5)]
    state = single_policy("random", "choice").state(Network(stations=tuple(stations)).asking()[0][1], SEED)
    run = start_network(Network(stations=tuple(stations)), seed=SEED, deciders={"process": state})

    def whole_system() -> int:
        return simulate_system(system, SEED).counts["requests"]

    def stations_only() -> int:
        return len(run.run_window(WHOLE).classes)

    whole_system(), stations_only()
    contenders = {"whole system": whole_system, "network of stations": stations_only}
    return Case(f"event loops, {PROCESSES} processes", contenders)


def _formulas() -> Case:
    """The same system by the formulas; a unit of work is a setting."""
    options = TwoTierOptions()

    def work() -> int:
        for _ in range(EVALUATIONS):
            equilibrium(options, RATE, THREADS)
        return EVALUATIONS

    return Case("settings by formula", {"analytic": work})
