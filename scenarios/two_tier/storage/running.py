"""Runs of the whole system, from empty caches to the last answer and the last written page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement import make_cache
from pmtwin.scenarios.two_tier.storage import kernel, records
from pmtwin.scenarios.two_tier.storage.mapping import owners
from pmtwin.scenarios.two_tier.storage.options import LOCAL, READ_MODIFY_WRITE, SEQUENTIAL, UNIFORM
from pmtwin.scenarios.two_tier.storage.popularity import make_popular, replay_trace
from pmtwin.scenarios.two_tier.storage.records import COUNTS, NEVER_ENDS, SETTING, Storage, empty_storage, places
from pmtwin.scenarios.two_tier.storage.service_threads import with_threads
from pmtwin.scenarios.two_tier.storage.specification import SpecifiedRun
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.scenarios.two_tier.storage.trace_pages import read_trace
from pmtwin.sim.errors import InputError
from pmtwin.sim.numerics.stacks import one_of, stacked

EVENTS_AT_ONCE = 1 << 21
"""Number of events between two updates of the progress."""

MOST_CLIENTS = 1 << 24
MOST_OF_A_CLIENT = 1 << 32
"""Number of requests of a client with draws of their own, in a run without end."""

PATTERNS = {UNIFORM: records.UNIFORM, SEQUENTIAL: records.SEQUENTIAL}


class Times(NamedTuple):
    """Times and counts of a run.

    Fields:
        response_s: time until the last answer, as in the paper's tables.
        disk_s: longest busy time of an I/O thread, as in the paper's tables.
        completion_s: the larger of the two (equation 3).
        mean_response_ms: mean time from a request to its answer.
        idle_s: mean idle time of the I/O threads, until the last answer or written page.
        counts: name of `COUNTS` -> number; name of `PLACES` -> number of pages at the end.
    """

    response_s: float
    disk_s: float
    completion_s: float
    mean_response_ms: float
    idle_s: float
    counts: dict[str, int]


def simulate_system(
    system: System, seed: int = 0, engine: str = "compiled", on_requests: Callable[[int], object] = lambda count: None
) -> Times:
    """Run the whole workload.

    Args:
        system: the system.
        seed: seed of the run.
        engine: compiled, or simpy, which gives the same numbers.
        on_requests: called with the number of requests answered since the last call.

    Raises:
        InputError: for too many client threads, or a process without pages.
    """
    run = started(system, make_storage(system, seed), engine)
    run.advance(NEVER_ENDS, on_requests)
    return times_of(run.storage)


def started(system: System, storage: Storage, engine: str, caches: list | None = None):
    """A run before its first event, with `storage`, `caches`, `advance` and `set_threads`.

    Args:
        system: the system.
        storage: state before the first request.
        engine: compiled or simpy.
        caches: caches of the processes; None: empty ones under the policy of the options.
    """
    if caches is None:
        caches = empty_caches(system, storage)
    if engine == "simpy":
        return SpecifiedRun(system, storage, caches)
    return CompiledRun(storage, caches)


class CompiledRun:
    """A run of the compiled kernel.

    Args:
        storage: state before the first request.
        caches: caches of all processes; a single one, which is not used, if no cache can be full.
    """

    def __init__(self, storage: Storage, caches: list):
        self.storage, self._caches, self._kernel = storage, stacked(caches), kernel
        kernel.start(storage)

    def advance(self, until: int, on_requests: Callable[[int], object] = lambda count: None) -> None:
        """Continue until `until` requests have been answered since the start, or all."""
        answered, events = int(self.storage.tally["requests"][0]), EVENTS_AT_ONCE
        while events == EVENTS_AT_ONCE:
            events = self._kernel.run(self.storage, self._caches, EVENTS_AT_ONCE, until)
            now = int(self.storage.tally["requests"][0])
            on_requests(now - answered)
            answered = now

    @property
    def caches(self) -> list:
        """The present caches of the processes."""
        return [one_of(self._caches, number) for number in range(len(self._caches.used))]

    def set_threads(self, count: int) -> None:
        """Change the number of service threads of each process; a request in service keeps its thread."""
        self.storage = with_threads(self.storage, count, self._kernel.give_thread)


def times_of(storage: Storage) -> Times:
    """Times and counts of a finished run."""
    tally, busy = storage.tally[0], storage.process["busy"]
    response, disk = float(tally["last_answer_s"]), float(busy.max())
    end = max(response, float(tally["end_s"]))
    counts = {name: int(tally[name]) for name in COUNTS} | places(storage)
    mean_ms = 1e3 * float(storage.client["response_s"].sum()) / counts["requests"]
    return Times(response, disk, max(response, disk), mean_ms, float(end - busy.mean()), counts)


def make_storage(system: System, seed: int, window: int = 0) -> Storage:
    """The state of a system before its first request.

    Args:
        system: the system.
        seed: seed of the run.
        window: number of requests of a window; 0: a single run of `system.requests` requests.
    """
    options, costs = system.storage, system.effective_costs()
    trace = None if options.requests_from is None else read_trace(options.requests_from, options.page_bytes)
    pages = options.pages if trace is None else trace.pages
    if system.clients > MOST_CLIENTS:
        most_threads = MOST_CLIENTS // system.processes
        allowed = f"at most {most_threads} with {system.processes} processes"
        raise InputError("client_threads", options.client_threads, allowed)
    owner = owners(options.mapping, pages, system.processes, options.block_pages)
    local = options.locality == LOCAL
    if local and len(np.unique(owner)) < system.processes:
        raise InputError("pages", pages, "enough for a page in each process (locality: local)")
    most_pages = int(np.bincount(owner).max())
    storage = empty_storage(owner, system.processes, system.clients, system.threads, options.disks, local, window)
    writes, (share, remainder) = options.operation == READ_MODIFY_WRITE, divmod(system.requests, system.clients)
    keys = np.random.SeedSequence(seed).generate_state(4, np.uint64)
    walkers = system.clients // system.processes if local else system.clients
    access_ms = costs.access_ms + costs.access_ms_per_kib * options.request_bytes / 1024.0
    setting = {
        "clients": system.clients, "processes": system.processes, "pages": pages,
        "requests": MOST_OF_A_CLIENT if window else share + (remainder > 0),
        "pattern": PATTERNS[options.pattern], "local": local, "writes": writes,
        "sweep": max(pages // walkers, 1) if window else share + (remainder > 0), "drift": options.drift,
        "drift_since": 0, "fallen": 0,
        "gap_s": 1.0 / options.client_rate, "rpc_s": 1e-6 * costs.rpc_us,
        "access_s": 1e-3 * access_ms * (2 if writes else 1),
        "io_s": 1e-3 * costs.io_ms, "disk_s": 1e-3 * costs.disk_ms / (1.0 - costs.disk_load),
        "contention": costs.contention, "write_back": costs.write_back, "prefetch_lines": options.prefetch_lines,
        "evicting": window > 0 or most_pages > options.cache_lines, "lines": min(options.cache_lines, most_pages),
        "request_key": keys[0], "disk_key": keys[1], "page_key": keys[2],
    }  # fmt: skip
    storage.setting[0] = tuple(setting[name] for name in SETTING.names or ())
    storage.client["quota"] = NEVER_ENDS if window else share
    if not window:
        storage.client["quota"][:remainder] += 1
    if trace is not None:
        return replay_trace(storage, trace.requests)
    if options.pattern == UNIFORM and (window or options.skew):
        return make_popular(storage, options.skew, int(keys[3]))
    return storage


def empty_caches(
    system: System, storage: Storage, make: Callable[[int, int], object] | None = None, seed: int | None = None
) -> list:
    """Empty caches of all processes; a single cache of one line if no cache can be full.

    Args:
        system: the system.
        storage: its state.
        make: (lines, seed) -> cache; None: a cache under the options' policy.
        seed: seed of the first process' cache; None: derived from the seed of the run.
    """
    setting = storage.setting[0]
    lines, count = (int(setting["lines"]), system.processes) if setting["evicting"] else (1, 1)
    seed = int(setting["page_key"]) if seed is None else seed
    make = make or partial(make_cache, system.storage.replacement)
    return [make(lines, seed + number) for number in range(count)]
