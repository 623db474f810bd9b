"""The two files as block devices: latency, bandwidth and servers, from accesses that are timed between the runs.

| parameter | from |
|---|---|
| latency, bandwidth, wake-up | `fitting.fitted_times` of samples taken as requests use the files (`sampling`) |
| servers | 2 if two threads do half as many accesses again as one, otherwise 1: there are two threads |
| seek | where random reads in a row take over a millisecond longer than sequential ones: as `pmtwin.calibrate.block` |
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.calibrate.block.fit import SEEK_NS
from pmtwin.scenarios.hybrid_storage.files.measuring import timed_accesses
from pmtwin.scenarios.hybrid_storage.files.records import MOVER, REQUESTS, Files
from pmtwin.scenarios.hybrid_storage.validation.fitting import fitted_times, rows_of
from pmtwin.scenarios.hybrid_storage.validation.sampling import Samples
from pmtwin.sim.hybrid.devices import US, BlockDevice
from pmtwin.sim.hybrid.stream import PAGE_BYTES

BUDGET_NS = 20e6
"""Time for the accesses of a kind each time."""

FEWEST, MOST = 8, 2000
"""Accesses of a kind each time."""

TOGETHER = 1.5
"""Accesses/s of two threads over those of one from which a device serves two at once."""


class Cell(NamedTuple):
    """A kind of accesses of one page, one after another; `depth`: under way at once."""

    write: bool
    sequential: bool = False
    depth: int = 1


CELLS = (Cell(False), Cell(True), Cell(False, sequential=True), Cell(False, depth=2), Cell(True, depth=2))


def measure(files: Files, device: int, pages: int, rng: np.random.Generator) -> dict[Cell, float]:
    """Mean time of an access of each kind, in ns; with two at once, the time for which there is one more.

    Args:
        files: with buffers for a page.
        device: number of the file.
        pages: accesses go to the first so many.
    """
    return {cell: _mean_ns(files, device, cell, pages, rng) for cell in CELLS}


def _mean_ns(files: Files, device: int, cell: Cell, pages: int, rng: np.random.Generator) -> float:
    few = _times(files, device, cell, pages, rng, FEWEST)
    count = int(np.clip(BUDGET_NS / max(float(few.mean()), 1.0), FEWEST, MOST))
    return float(_times(files, device, cell, pages, rng, count).mean())


def _times(files: Files, device: int, cell: Cell, pages: int, rng: np.random.Generator, count: int) -> np.ndarray:
    """Times of accesses, in ns, each over the number of those under way."""
    begin, latency = np.zeros((2, cell.depth, count))
    of_file, write, single = (np.full(count, value, np.int64) for value in (device, cell.write, 1))
    threads = []
    for number, who in enumerate((REQUESTS, MOVER)[: cell.depth]):
        places = rng.integers(0, pages, count)
        if cell.sequential:
            places = (places[0] + np.arange(count)) % pages
        arguments = (files, who, of_file, write, single, places, np.zeros(count), begin[number], latency[number])
        threads.append(threading.Thread(target=timed_accesses, args=arguments, daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return latency / cell.depth


def fitted(name: str, means: Mapping[Cell, float], samples: Samples, capacity_gb: float) -> BlockDevice:
    """The device whose accesses take these times, as well as its model can say.

    Args:
        means: as from `measure`. samples: of this device.
    """
    values = fitted_times(rows_of(samples))
    for write, kind in ((False, "read"), (True, "write")):
        servers = 2 if means[Cell(write)] > TOGETHER * means[Cell(write, depth=2)] else 1
        values[f"{kind}_iops"] = servers / max(values[f"{kind}_us"] * US, 1.0) * 1e9
    values |= _seek(means, values)
    return BlockDevice(name=name, capacity_gb=capacity_gb, origin="measured", **values)  # type: ignore[arg-type]  # floats


def _seek(means: Mapping[Cell, float], values: Mapping[str, float]) -> dict[str, float]:
    """Latencies of a device with seeks, one access at a time; nothing for another one."""
    sequential_ns = means[Cell(False, sequential=True)]
    if means[Cell(False)] - sequential_ns < SEEK_NS:
        return {}
    read_us = max(sequential_ns - PAGE_BYTES / values["read_gb_s"], 0.0) / US
    seek_us, write_us = max(values["read_us"] - read_us, 0.0), values["write_us"]
    alike = {"read_us": read_us, "seek_us": seek_us, "read_iops": 0.0, "write_iops": 0.0}
    if write_us < seek_us:
        return alike | {"write_us": read_us, "cached_write_us": write_us}
    return alike | {"write_us": write_us - seek_us}
