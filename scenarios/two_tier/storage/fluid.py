"""Fluid limit of the whole system: the time of the first reads of all pages, and the requests left afterwards.

In the beginning nearly every request is a miss, and clients wait for the disks. When x of the pages are not read yet,
C clients who ask every `gap + access` seconds miss x C / (gap + access) times a second; as soon as that is less than
the disks read, clients are as fast as their own cycle.
"""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.two_tier.storage.costs import Costs
from pmtwin.scenarios.two_tier.storage.mapping import owners
from pmtwin.scenarios.two_tier.storage.options import READ_MODIFY_WRITE
from pmtwin.sim.errors import InputError

STEPS = 60
"""Halvings of the interval in which the rate of the disks is looked for."""


def pages_per_second(processes, disks, costs: Costs) -> np.ndarray:
    """Pages that P I/O threads read, each one at a time, while all have misses.

    A closed network: m threads are at the D disks, the others busy with their own time. D exponential servers among
    which m are spread at random are busy m / (m + D - 1) of the time (product form); what waits at any disk lengthens
    the services of all.

    Args:
        processes, disks: numbers or arrays of them.
    """
    thread_s, disk_s = 1e-3 * costs.io_ms, 1e-3 * costs.disk_ms / (1.0 - costs.disk_load)
    processes = np.asarray(processes, float)
    low, high = np.zeros_like(processes), np.minimum(disks / disk_s, processes / (thread_s + disk_s))
    for _ in range(STEPS):
        rate = 0.5 * (low + high)
        at_disks = np.maximum(processes - rate * thread_s, 1.0)
        busy = disks * at_disks / (at_disks + disks - 1.0)
        waiting = at_disks - busy
        feasible = rate * disk_s * (1.0 + waiting) ** costs.contention <= busy
        low, high = np.where(feasible, rate, low), np.where(feasible, high, rate)
    return low


def fluid_times(rows: dict[str, np.ndarray], costs: Costs) -> tuple[np.ndarray, np.ndarray]:
    """(response in s, time of the busiest I/O thread in s) of several systems at once.

    Args:
        rows: what `row_of` gives, as arrays.
        costs: of all.
    """
    rate = pages_per_second(rows["processes"], rows["disks"], costs)
    access = 1e-3 * rows["accesses"] * (costs.access_ms + costs.access_ms_per_kib * rows["kib"])
    clients = rows["processes"] * rows["client_threads"]
    demand = np.minimum(
        clients / (rows["gap_s"] + access), rows["processes"] * rows["threads"] / np.maximum(access, 1e-12)
    )
    left = np.minimum(rate / demand, 1.0)
    cold, answered = rows["pages"] * (1.0 - left) / rate, -rows["pages"] * np.log(left)
    response = cold + np.maximum(rows["requests"] - answered, 0.0) / demand
    alone = 1e-3 * (costs.io_ms + costs.disk_ms / (1.0 - costs.disk_load))
    surplus = np.maximum(rows["most_pages"] - rows["pages"] / rows["processes"], 0.0)
    written = 1.0 + costs.write_back * (rows["accesses"] - 1.0)
    return response, written * (rows["pages"] / rate + surplus * alone)


def row_of(system) -> dict[str, float]:
    """Inputs of the fluid limit for a system.

    Raises:
        InputError: where caches are too small for their pages: how often a page is read is then not known.
    """
    options = system.storage
    owned = np.bincount(owners(options.mapping, options.pages, system.processes, options.block_pages))
    if owned.max() > options.cache_lines:
        allowed = f"at least {owned.max()}, the pages of a process (engine compiled evicts)"
        raise InputError("cache_lines", options.cache_lines, allowed)
    return {
        "processes": system.processes, "disks": options.disks, "threads": system.threads,
        "accesses": 2.0 if options.operation == READ_MODIFY_WRITE else 1.0, "kib": options.request_bytes / 1024.0,
        "client_threads": options.client_threads, "gap_s": 1.0 / options.client_rate, "pages": options.pages,
        "requests": system.requests, "most_pages": int(owned.max()),
    }  # fmt: skip


def fluid_of(system) -> dict[str, float]:
    """`response_s`, `disk_s` and `completion_s` of one system."""
    row = {name: np.array([float(value)]) for name, value in row_of(system).items()}
    response, disk = (float(value[0]) for value in fluid_times(row, system.effective_costs()))
    return {"response_s": response, "disk_s": disk, "completion_s": max(response, disk)}
