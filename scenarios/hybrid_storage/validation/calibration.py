"""The two files as block devices: latency, bandwidth and servers, from accesses that are timed between the runs.

| parameter | from |
|---|---|
| latency, bandwidth | a line through the mean times of single random accesses of four sizes, by relative error |
| servers | 2 if two threads do half as many accesses again as one, otherwise 1: there are two threads |
| seek | where single random reads take over a millisecond longer than sequential ones: as `pmtwin.calibrate.block` |
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.calibrate.block.fit import SEEK_NS
from pmtwin.scenarios.hybrid_storage.files.measuring import timed_accesses
from pmtwin.scenarios.hybrid_storage.files.records import MOVER, REQUESTS, Files
from pmtwin.sim.hybrid.devices import US, BlockDevice
from pmtwin.sim.hybrid.stream import PAGE_BYTES

PAGES = (1, 4, 16, 64)
"""Sizes of accesses."""

BUDGET_NS = 20e6
"""Time for the accesses of a kind and size each time."""

FEWEST, MOST = 8, 2000
"""Accesses of a kind and size each time."""

TOGETHER = 1.5
"""Accesses/s of two threads over those of one from which a device serves two at once."""

FASTEST_GB_S = 1e3
"""Bandwidth where longer accesses take no longer."""


class Cell(NamedTuple):
    """A kind of accesses; `depth`: under way at once."""

    write: bool
    pages: int
    sequential: bool = False
    depth: int = 1


CELLS = (
    *(Cell(write, pages) for write in (False, True) for pages in PAGES),
    Cell(False, 1, sequential=True),
    Cell(False, 1, depth=2),
    Cell(True, 1, depth=2),
)


def measure(files: Files, device: int, pages: int, rng: np.random.Generator) -> dict[Cell, float]:
    """Mean time of an access of each kind, in ns; with two at once, the time for which there is one more.

    Args:
        files: with buffers for the largest accesses.
        device: number of the file.
        pages: accesses go to the first so many.
    """
    cells = [cell for cell in CELLS if cell.pages <= pages]
    return {cell: _mean_ns(files, device, cell, pages, rng) for cell in cells}


def _mean_ns(files: Files, device: int, cell: Cell, pages: int, rng: np.random.Generator) -> float:
    few = _times(files, device, cell, pages, rng, FEWEST)
    count = int(np.clip(BUDGET_NS / max(float(few.mean()), 1.0), FEWEST, MOST))
    return float(_times(files, device, cell, pages, rng, count).mean())


def _times(files: Files, device: int, cell: Cell, pages: int, rng: np.random.Generator, count: int) -> np.ndarray:
    """Times of accesses, in ns, each over the number of those under way."""
    latency = np.zeros((cell.depth, count))
    threads = []
    for who, times in zip((REQUESTS, MOVER), latency, strict=False):
        places = rng.integers(0, pages - cell.pages + 1, count)
        if cell.sequential:
            places = (places[0] + np.arange(count)) % pages
        arguments = (files, who, device, cell.write, cell.pages, places, times)
        threads.append(threading.Thread(target=timed_accesses, args=arguments, daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return latency / cell.depth


def fitted(name: str, means: Mapping[Cell, float], capacity_gb: float) -> BlockDevice:
    """The device whose accesses take these times, as well as its model can say.

    Args:
        means: as from `measure`.
    """
    values: dict[str, float] = {}
    for write, kind in ((False, "read"), (True, "write")):
        latency_ns, gb_s = _line({cell.pages: means[cell] for cell in means if cell == Cell(write, cell.pages)})
        servers = 2 if means[Cell(write, 1)] > TOGETHER * means[Cell(write, 1, depth=2)] else 1
        values |= {f"{kind}_us": latency_ns / US, f"{kind}_gb_s": gb_s}
        values[f"{kind}_iops"] = servers / max(latency_ns, 1.0) * 1e9
    values |= _seek(means, values)
    return BlockDevice(name=name, capacity_gb=capacity_gb, origin="measured", **values)  # type: ignore[arg-type]  # floats


def _seek(means: Mapping[Cell, float], values: Mapping[str, float]) -> dict[str, float]:
    """Latencies of a device with seeks, one access at a time; nothing for another one."""
    sequential_ns = means[Cell(False, 1, sequential=True)]
    if values["read_us"] * US - sequential_ns < SEEK_NS:
        return {}
    read_us = max(sequential_ns - PAGE_BYTES / values["read_gb_s"], 0.0) / US
    seek_us, write_us = values["read_us"] - read_us, values["write_us"]
    alike = {"read_us": read_us, "seek_us": seek_us, "read_iops": 0.0, "write_iops": 0.0}
    if write_us < seek_us:
        return alike | {"write_us": read_us, "cached_write_us": write_us}
    return alike | {"write_us": write_us - seek_us}


def _line(means: Mapping[int, float]) -> tuple[float, float]:
    """(latency in ns, bandwidth in GB/s) of the line through the times of accesses of these sizes in pages."""
    size = np.array(list(means)) * PAGE_BYTES
    time = np.array(list(means.values()))
    if len(size) == 1:
        return float(time[0]), FASTEST_GB_S
    slope, latency = np.polyfit(size, time, 1, w=1.0 / time)
    if latency < 0.0:
        slope, latency = float((time / size).mean()), 0.0
    if slope <= 1.0 / FASTEST_GB_S:
        slope, latency = 1.0 / FASTEST_GB_S, float(time.mean())
    return float(latency), float(1.0 / slope)
