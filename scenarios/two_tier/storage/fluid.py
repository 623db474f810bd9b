"""Fluid limit of the whole system: the time of the first reads of all pages, and of the requests afterwards.

Requests are uniform over the pages. After n requests a share exp(-n / M) of the M pages is unread. At first nearly
every
request is a miss and the disks limit: a request takes `unread / rate` seconds. Later the C clients limit, which each
send a request every `gap + access` seconds and wait for their misses. Randomness is left out, except for the busiest
I/O thread; `doubts` says when that matters.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.mapping import owners
from pmtwin.scenarios.two_tier.storage.options import READ_MODIFY_WRITE, UNIFORM
from pmtwin.sim.errors import InputError

if TYPE_CHECKING:
    from pmtwin.scenarios.two_tier.storage.system import System


STEPS = 60
"""Number of bisection steps for the rate of the disks."""

FEW = 10
"""Number of requests of a client, or of reads of a process, below which randomness makes the formula doubtful."""

TINY = 1e-300
"""Smallest dividend, which avoids a division by zero later."""


def reading(
    processes: np.ndarray, clients: np.ndarray, cycle_s: np.ndarray, disks: np.ndarray, costs: Costs
) -> tuple[np.ndarray, np.ndarray]:
    """(pages read per second, number of busy I/O threads) while every request is a miss.

    A closed network: `rate * cycle_s` clients do not wait; the misses of the others are spread at random over the I/O
    threads. Of the busy I/O threads m are at the D disks, the others in their own service. D exponential servers with m
    jobs spread at random are busy m / (m + D - 1) of the time (product form). Waiting jobs lengthen all services.

    Args:
        processes: number of I/O threads, each of which reads a page at a time.
        clients: number of clients, each with one request at a time.
        cycle_s: time of a client between two misses, without the miss.
        disks: number of disks, D. All these arguments are numbers or arrays.
        costs: costs of the system's parts.
    """
    thread_s, disk_s = 1e-3 * costs.io_ms, 1e-3 * costs.disk_ms / (1.0 - costs.disk_load)
    processes = np.asarray(processes, float)
    low, high = np.zeros_like(processes), np.minimum(disks / disk_s, processes / (thread_s + disk_s))

    def at_work(rate: np.ndarray) -> np.ndarray:
        return processes * (1.0 - (1.0 - 1.0 / processes) ** np.maximum(clients - rate * cycle_s, 0.0))

    for _ in range(STEPS):
        rate = 0.5 * (low + high)
        threads = at_work(rate)
        at_disks = np.maximum(threads - rate * thread_s, 1.0)
        busy = disks * at_disks / (at_disks + disks - 1.0)
        waiting = at_disks - busy
        feasible = rate * disk_s * (1.0 + waiting) ** costs.contention <= busy
        feasible &= rate * (thread_s + disk_s) <= threads
        low, high = np.where(feasible, rate, low), np.where(feasible, high, rate)
    return low, at_work(low)


def fluid_times(rows: dict[str, np.ndarray], costs: Costs) -> tuple[np.ndarray, np.ndarray]:
    """(response in s, time of the busiest I/O thread in s) of several systems at once.

    Args:
        rows: inputs of `row_of`, as arrays over the systems.
        costs: costs of all systems.
    """
    processes, pages, requests = rows["processes"], rows["pages"], rows["requests"]
    clients = np.minimum(processes * rows["client_threads"], requests)
    miss_s = 1e-3 * (costs.io_ms + costs.disk_ms / (1.0 - costs.disk_load))
    access = _access_s(rows, costs, clients)
    cycle = (rows["gap_s"] + access) * (1.0 - clients / requests)  # no pause before the first request of a client
    rate, threads = reading(processes, clients, cycle, rows["disks"], costs)
    cached = np.maximum((rows["gap_s"] + access) / clients, access * rows["most_pages"] / (pages * rows["threads"]))
    unread = np.exp(-requests / pages)
    crowding = np.maximum(1.0 / rate - miss_s / clients, TINY) / cached  # above 1: the disks limit at first
    limit = np.maximum(np.minimum(1.0 / crowding, 1.0), unread)  # share of unread pages at which the clients limit
    early, late = pages * (1.0 - limit) / rate, pages * (limit - unread) * miss_s / clients
    response = early + late + cached * np.maximum(requests + pages * np.log(limit), 0.0)
    busy = pages * (1.0 - unread) * threads / (rate * processes) + _surplus(rows, unread) * miss_s
    written = 1.0 + costs.write_back * (rows["accesses"] - 1.0)
    return np.maximum(response, busy), written * busy


def _access_s(rows: dict[str, np.ndarray], costs: Costs, clients: np.ndarray) -> np.ndarray:
    """Mean time of the accesses of a request, in seconds; writers wait for the lock of their page.

    Schweitzer's approximation of mean value analysis, for a closed network of threads (or clients, if these are fewer)
    with the locks of M pages and pauses. A process with a single thread never waits for a lock.
    """
    access = 1e-3 * rows["accesses"] * (costs.access_ms + costs.access_ms_per_kib * rows["kib"])
    competitors = np.minimum(clients, rows["processes"] * rows["threads"]) - 1.0
    locked = access * competitors / rows["pages"] * (rows["accesses"] > 1.0) * (rows["threads"] > 1.0)
    half = 0.5 * (access + locked - rows["gap_s"])
    return half + np.sqrt(half**2 + access * rows["gap_s"])


def _surplus(rows: dict[str, np.ndarray], unread: np.ndarray) -> np.ndarray:
    """Number of pages that the busiest I/O thread reads above the mean: by the map, and by randomness."""
    mean = rows["pages"] / rows["processes"]
    by_map, variance = (1.0 - unread) * (rows["most_pages"] - mean), mean * unread * (1.0 - unread)
    return np.sqrt(np.maximum(by_map, 0.0) ** 2 + rows["most_deviations"] ** 2 * variance)


def row_of(system: System) -> dict[str, float]:
    """Inputs of the fluid limit for a system.

    Raises:
        InputError: if caches are too small for their pages, since the number of reads is then unknown, or if requests
            are not uniform over the pages.
    """
    options, processes = system.storage, system.processes
    owned = np.bincount(owners(options.mapping, options.pages, processes, options.block_pages))
    if owned.max() > options.cache_lines:
        allowed = f"at least {owned.max()}, the pages of a process (engine compiled evicts)"
        raise InputError("cache_lines", options.cache_lines, allowed)
    if options.pattern != UNIFORM:
        raise InputError("pattern", options.pattern, f"{UNIFORM} (engine compiled has all patterns)")
    for name in ("skew", "requests_from"):
        if getattr(options, name):
            raise InputError(name, str(getattr(options, name)), "pages that are all alike (engine compiled has others)")
    return {
        "processes": processes, "disks": options.disks, "threads": system.threads,
        "accesses": 2.0 if options.operation == READ_MODIFY_WRITE else 1.0, "kib": options.request_bytes / 1024.0,
        "client_threads": options.client_threads, "gap_s": 1.0 / options.client_rate, "pages": options.pages,
        "requests": system.requests, "most_pages": int(owned.max()),
        # expected maximum of `processes` standard normal numbers (Blom)
        "most_deviations": NormalDist().inv_cdf((processes - 0.375) / (processes + 0.25)),
    }  # fmt: skip


def doubts(system: System) -> str:
    """Why the formula is doubtful for a system, as a sentence; empty if it is not."""
    pages, processes = system.storage.pages, system.processes
    requests, reads = system.requests / system.clients, pages * -np.expm1(-system.requests / pages) / processes
    parts = [
        f"{number:.3g} {noun}"
        for number, noun in ((requests, "requests of a client thread"), (reads, "reads of a process"))
        if number < FEW
    ]
    if not parts:
        return ""
    return f"{' and '.join(parts)}: below {FEW} chance decides, which the formula leaves out (engine compiled has it)"


def fluid_of(system: System) -> dict[str, float]:
    """`response_s`, `disk_s` and `completion_s` of one system by the fluid limit."""
    row = {name: np.array([float(value)]) for name, value in row_of(system).items()}
    response, disk = (float(value[0]) for value in fluid_times(row, system.effective_costs()))
    return {"response_s": response, "disk_s": disk, "completion_s": max(response, disk)}
