"""What keeps policy `gain` from the optimum where nothing is idle: `python -m studies.gain_limits`.

Mean latencies in us of workloads that tune, by layout, beside the best fixed set: the pages that save the most time in
the measured half, known in advance, on the fast device at no cost and side by side. Second half measured; one seed.
Devices are idle by time, so that hardly a page moves in the background.
"""

from __future__ import annotations

import numpy as np

from pmtwin.figures.experiments.parallel import environment_seed
from pmtwin.scenarios.hybrid_storage.figures.experiments.runs import Case, rows_of
from pmtwin.scenarios.hybrid_storage.options import HybridStorageOptions
from pmtwin.scenarios.hybrid_storage.system import drawn_requests
from pmtwin.sim.hybrid.devices import BlockDevice, devices_of
from pmtwin.sim.hybrid.options import APPEND, BY_TIME, HOME, capacities
from pmtwin.sim.hybrid.stream import PAGE_BYTES, Paged

LENGTH, SEED = 100_000, 0
WORKLOADS, POLICIES = ("YCSB-D", "ssd-03"), ("write-lru", "gain", "optimum")
US = 1e-3


def taken_ns(device: BlockDevice, write: np.ndarray, pages: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """Time of `parts` accesses to the idle device that have `pages` pages together, by request."""
    latency, page = (
        np.where(write, time_ns(True), time_ns(False))
        for time_ns in (device.latency_ns, lambda kind: device.transfer_ns(kind, PAGE_BYTES))
    )
    return latency * parts + page * pages


def fixed_set(requests: Paged, capacity: int, fast: BlockDevice, slow: BlockDevice) -> float:
    """Mean latency of the second half in us: pages of a device adjacent, a write goes where its first page is."""
    rows = slice(len(requests.first) // 2, None)
    first, pages, write = requests.first[rows], requests.pages[rows].astype(np.int64), requests.stream.write[rows]
    on_fast, on_slow = (taken_ns(device, write, pages, np.ones_like(pages)) for device in (fast, slow))
    change = np.zeros(len(requests.home) + 1)
    np.add.at(change, first, (on_slow - on_fast) / pages)
    np.add.at(change, first + pages, (on_fast - on_slow) / pages)
    chosen = np.zeros(len(requests.home), np.bool_)
    chosen[np.argsort(-np.cumsum(change)[:-1], kind="stable")[:capacity]] = True
    held, begins = (
        np.concatenate([[0], np.cumsum(marks)]) for marks in (chosen, np.diff(chosen.astype(int), prepend=False) != 0)
    )
    there = held[first + pages] - held[first]
    parts = 1 + begins[first + pages] - begins[first + 1]
    fast_parts = (parts + chosen[first]) // 2
    read = taken_ns(fast, write, there, fast_parts) + taken_ns(slow, write, pages - there, parts - fast_parts)
    return float(np.where(write, np.where(chosen[first], on_fast, on_slow), read).mean()) * US


def main() -> None:
    """The table."""
    seed = environment_seed(SEED, 0)
    print("| | layout | write-lru | gain | best fixed set | optimum | gain closes | the set would close |")
    print("|---|---|---|---|---|---|---|---|")
    for name in WORKLOADS:
        for layout in (APPEND, HOME):
            case = Case(layout, name, POLICIES, {"layout": layout, "idle_measure": BY_TIME})
            options = case.options(HybridStorageOptions(), LENGTH)
            lru, gain, least = (row["mean_us"] for row in rows_of(case, options, seed))
            requests = drawn_requests(name, options.shape, seed)
            capacity = capacities(options.storage, len(requests.home))[0]
            best = fixed_set(requests, capacity, *devices_of(options.storage.devices))
            closed = (f"{100.0 * (lru - value) / (lru - least):.0f} %" for value in (gain, best))
            print(f"| {name} | {layout} | {lru:.1f} | {gain:.1f} | {best:.1f} | {least:.1f} | {' | '.join(closed)} |")


if __name__ == "__main__":
    main()
