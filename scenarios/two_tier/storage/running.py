"""A run of the whole system, from empty caches to the last answer and the last page written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pmtwin.policies.replacement import make_cache
from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.mapping import owners
from pmtwin.scenarios.two_tier.storage.options import LOCAL, READ_MODIFY_WRITE, SEQUENTIAL, StorageOptions
from pmtwin.scenarios.two_tier.storage.records import COUNTS, SETTING, Storage, empty_storage, places
from pmtwin.sim.errors import InputError
from pmtwin.sim.stacks import stacked

EVENTS_AT_ONCE = 1 << 21
"""Between two looks at the progress."""

MOST_CLIENTS = 1 << 24


class System(NamedTuple):
    """The simulated system.

    Fields:
        storage: options of the system. costs: what its parts cost.
        processes: P. threads: k, service threads of a process. requests: of the whole workload.
    """

    storage: StorageOptions
    costs: Costs
    processes: int
    threads: int
    requests: int

    @property
    def clients(self) -> int:
        """Client threads of all processes."""
        return self.processes * self.storage.client_threads

    def effective_costs(self) -> Costs:
        """The costs, with the options' values in place of fitted ones."""
        given = {name: getattr(self.storage, name) for name in ("disk_load", "write_back")}
        values = {name: getattr(self.costs, name) for name in self.costs.__dataclass_fields__}
        return Costs(**values | {name: value for name, value in given.items() if value is not None})


class Times(NamedTuple):
    """Times and counts of a run: those of the paper's tables, and others.

    Fields:
        response_s: until the last answer. disk_s: the longest that an I/O thread was at work. Completion is the larger
            of the two (equation 3). mean_response_ms: mean time from a request to its answer.
        idle_s: mean time that I/O threads had nothing to do, until the last answer or page.
        counts: `COUNTS` -> number; `PLACES` -> number of pages at the end.
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
        engine: compiled, or simpy, which gives the same numbers.
        on_requests: called with the number of requests answered since the last call.

    Raises:
        InputError: for more client threads than the kernel takes, or a process without pages.
    """
    storage = make_storage(system, seed)
    if engine == "simpy":
        from pmtwin.scenarios.two_tier.storage.specification import run_specification

        run_specification(system, storage, on_requests)
        return times_of(storage)
    from pmtwin.scenarios.two_tier.storage import kernel

    caches = stacked_caches(system, storage)
    kernel.start(storage)
    before = 0
    while kernel.run(storage, caches, EVENTS_AT_ONCE) == EVENTS_AT_ONCE:
        now = int(storage.tally["requests"][0])
        on_requests(now - before)
        before = now
    on_requests(int(storage.tally["requests"][0]) - before)
    return times_of(storage)


def times_of(storage: Storage) -> Times:
    """Times of a finished run."""
    tally, busy = storage.tally[0], storage.process["busy"]
    response, disk = float(tally["last_answer_s"]), float(busy.max())
    end = max(response, float(tally["end_s"]))
    counts = {name: int(tally[name]) for name in COUNTS} | places(storage)
    mean_ms = 1e3 * float(storage.client["response_s"].sum()) / counts["requests"]
    return Times(response, disk, max(response, disk), mean_ms, float(end - busy.mean()), counts)


def make_storage(system: System, seed: int) -> Storage:
    """The system before its first request."""
    options, costs = system.storage, system.effective_costs()
    if system.clients > MOST_CLIENTS:
        raise InputError("client_threads", options.client_threads, f"{MOST_CLIENTS // system.processes} or fewer here")
    owner = owners(options.mapping, options.pages, system.processes, options.block_pages)
    local = options.locality == LOCAL
    if local and len(np.unique(owner)) < system.processes:
        raise InputError("pages", options.pages, "so many that each process caches one (locality: local)")
    storage = empty_storage(owner, system.processes, system.clients, system.threads, options.disks, local)
    writes, (each, more) = options.operation == READ_MODIFY_WRITE, divmod(system.requests, system.clients)
    keys = np.random.SeedSequence(seed).generate_state(3, np.uint64)
    access_ms = costs.access_ms + costs.access_ms_per_kib * options.request_bytes / 1024.0
    setting = {
        "clients": system.clients, "processes": system.processes, "pages": options.pages,
        "requests": each + (more > 0),
        "sequential": options.pattern == SEQUENTIAL, "local": local, "writes": writes,
        "gap_s": 1.0 / options.client_rate, "rpc_s": 1e-6 * costs.rpc_us,
        "access_s": 1e-3 * access_ms * (2 if writes else 1),
        "io_s": 1e-3 * costs.io_ms, "disk_s": 1e-3 * costs.disk_ms / (1.0 - costs.disk_load),
        "contention": costs.contention, "write_back": costs.write_back, "prefetch_lines": options.prefetch_lines,
        "evicting": int(np.bincount(owner).max()) > options.cache_lines, "lines": options.cache_lines,
        "request_key": keys[0], "disk_key": keys[1], "page_key": keys[2],
    }  # fmt: skip
    storage.setting[0] = tuple(setting[name] for name in SETTING.names)
    storage.client["quota"] = each
    storage.client["quota"][:more] += 1
    return storage


def stacked_caches(system: System, storage: Storage):
    """The caches of all processes, each array with a first axis of processes; of one line where none can be full."""
    evicting = storage.setting["evicting"][0]
    lines, count = (system.storage.cache_lines, system.processes) if evicting else (1, 1)
    return stacked([empty_cache(system, storage, lines, number) for number in range(count)])


def empty_cache(system: System, storage: Storage, lines: int, number: int):
    """The cache of a process before its first request; the seed of the run decides what its policy draws."""
    return make_cache(system.storage.replacement, lines, int(storage.setting["page_key"][0]) + number)
