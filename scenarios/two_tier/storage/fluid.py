"""Fluid limit of the whole system: the time of the first reads of all pages, and the requests left afterwards.

Requests are for any page alike. After n of them a share exp(-n / M) of the M pages is unread. In the beginning nearly
every request is a miss, and clients wait for the disks: a request takes `unread / rate` for all of them together. As
soon as that is less than C clients need, who each ask every `gap + access` seconds and wait for their misses, these
decide. What chance does is left out, but for the busiest I/O thread; `doubts` says where that is too much.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.mapping import owners
from pmtwin.scenarios.two_tier.storage.options import READ_MODIFY_WRITE, UNIFORM
from pmtwin.sim.errors import InputError

STEPS = 60
"""Halvings of the interval in which the rate of the disks is looked for."""

FEW = 10
"""Requests of a client, and reads of a process, below which chance decides more than the formula."""

TINY = 1e-300
"""A divisor."""


def reading(processes, clients, cycle_s, disks, costs: Costs) -> tuple[np.ndarray, np.ndarray]:
    """(pages that are read in a second, I/O threads at work) while every request is a miss.

    A closed network: of the clients, `rate * cycle_s` do not wait; the others' misses are spread at random over the I/O
    threads, of which m are at the D disks, the others busy with their own time. D exponential servers among which m are
    spread at random are busy m / (m + D - 1) of the time (product form); what waits at any disk lengthens the services
    of all.

    Args:
        processes: I/O threads, each one reads a page at a time.
        clients: that ask, one request each at a time.
        cycle_s: time from one miss to the next without the miss.
        disks: D; all of these numbers or arrays of them.
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
        rows: what `row_of` gives, as arrays.
        costs: of all.
    """
    processes, pages, requests = rows["processes"], rows["pages"], rows["requests"]
    clients = np.minimum(processes * rows["client_threads"], requests)
    alone = 1e-3 * (costs.io_ms + costs.disk_ms / (1.0 - costs.disk_load))
    access = _access_s(rows, costs, clients)
    cycle = (rows["gap_s"] + access) * (1.0 - clients / requests)  # the first request of a client comes after none
    rate, threads = reading(processes, clients, cycle, rows["disks"], costs)
    cached = np.maximum((rows["gap_s"] + access) / clients, access * rows["most_pages"] / (pages * rows["threads"]))
    unread = np.exp(-requests / pages)
    crowded = np.maximum(1.0 / rate - alone / clients, TINY) / cached  # above 1: clients wait for the disks at first
    left = np.maximum(np.minimum(1.0 / crowded, 1.0), unread)  # unread pages when clients decide, or at the end
    early, late = pages * (1.0 - left) / rate, pages * (left - unread) * alone / clients
    response = early + late + cached * np.maximum(requests + pages * np.log(left), 0.0)
    busy = pages * (1.0 - unread) * threads / (rate * processes) + _surplus(rows, unread) * alone
    written = 1.0 + costs.write_back * (rows["accesses"] - 1.0)
    return np.maximum(response, busy), written * busy


def _access_s(rows: dict[str, np.ndarray], costs: Costs, clients: np.ndarray) -> np.ndarray:
    """Mean time of the accesses of a request; writers wait for the lock of their page.

    As many threads as there are, or clients, among the locks of M pages and their pauses, by Schweitzer's approximation
    of the mean value analysis; the only thread of a process finds no lock taken.
    """
    access = 1e-3 * rows["accesses"] * (costs.access_ms + costs.access_ms_per_kib * rows["kib"])
    others = np.minimum(clients, rows["processes"] * rows["threads"]) - 1.0
    locked = access * others / rows["pages"] * (rows["accesses"] > 1.0) * (rows["threads"] > 1.0)
    half = 0.5 * (access + locked - rows["gap_s"])
    return half + np.sqrt(half**2 + access * rows["gap_s"])


def _surplus(rows: dict[str, np.ndarray], unread: np.ndarray) -> np.ndarray:
    """Pages that the busiest I/O thread reads more than the mean: those of the map, and those of chance."""
    mean = rows["pages"] / rows["processes"]
    of_map, of_chance = (1.0 - unread) * (rows["most_pages"] - mean), mean * unread * (1.0 - unread)
    return np.sqrt(np.maximum(of_map, 0.0) ** 2 + rows["most_deviations"] ** 2 * of_chance)


def row_of(system) -> dict[str, float]:
    """Inputs of the fluid limit for a system.

    Raises:
        InputError: where caches are too small for their pages: how often a page is read is then not known; or where
            requests are in order.
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
        # expected maximum of so many standard normal numbers (Blom)
        "most_deviations": NormalDist().inv_cdf((processes - 0.375) / (processes + 0.25)),
    }  # fmt: skip


def doubts(system) -> str:
    """Why chance decides the times of a system rather than the formula; empty where it does not."""
    pages, processes = system.storage.pages, system.processes
    asked, read = system.requests / system.clients, pages * -np.expm1(-system.requests / pages) / processes
    parts = [
        f"{number:.3g} {what}"
        for number, what in ((asked, "requests of a client thread"), (read, "reads of a process"))
        if number < FEW
    ]
    if not parts:
        return ""
    return f"{' and '.join(parts)}: below {FEW} chance decides, which the formula leaves out (engine compiled has it)"


def fluid_of(system) -> dict[str, float]:
    """`response_s`, `disk_s` and `completion_s` of one system."""
    row = {name: np.array([float(value)]) for name, value in row_of(system).items()}
    response, disk = (float(value[0]) for value in fluid_times(row, system.effective_costs()))
    return {"response_s": response, "disk_s": disk, "completion_s": max(response, disk)}
