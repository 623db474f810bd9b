"""The experiments that tell what the host costs: which windows are run, on the real middleware.

Every sample is a window of the driver that validation uses too, so that what the clients' bookkeeping costs is in it.
Sizes and rates are none of the thesis' phases and grids, which validation compares.

The hand-off is measured over the store: over one that does nothing, threads meet at the locks of queue and driver ten
times as often as they ever do in use.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pmtwin.middleware.native import NativeEngine
from pmtwin.scenarios.nvm_middleware.model.model import build_model
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.draws import class_keys
from pmtwin.sim.host.file import device_values
from pmtwin.sim.load.workload import SIZE_BINS, ClassWorkload, Workload
from pmtwin.sim.parameters.values import resolve

SIZES = (100, 1000, 3000, 12000)
"""Of values, in bytes."""
EACH_POOL = (1, 3, 6, 12, 24)
"""Workers of both pools where the hand-off is measured.

There values of all sizes come together: large ones drive small ones out of the caches, which one size never shows.
"""
MIXES = (0.0, 0.5, 1.0)
"""Shares of writes there: workers meet in the store too, and gets and puts not alike."""
CLIENTS = 100
HOT_KEYS = 8
"""Few enough for the nearest cache."""
PACED_RATE_OPS = 5_000.0
REQUESTS, PACED_REQUESTS, TINY = 30_000, 400, 400
IDLE, IDLE_S = "idle", 0.2
MOST_WORKERS = 32


@dataclass(frozen=True)
class Cell:
    """One kind of window.

    Args:
        name: unique.
        workers: of each pool. both: whether the batch class has clients too.
        store: whether requests reach the store; else one that does nothing.
        keys: of the store. sizes, write_ratio: of the requests, each size as often. clients: of each class.
        paced: whether requests come one by one, at `PACED_RATE_OPS`, to a worker that sleeps.
    """

    name: str
    workers: int = 1
    both: bool = False
    store: bool = False
    keys: int = HOT_KEYS
    sizes: tuple[int, ...] = SIZES[:1]
    write_ratio: float = 0.0
    clients: int = CLIENTS
    paced: bool = False

    def workload(self) -> Workload:
        """What the driver offers."""
        rate = PACED_RATE_OPS if self.paced else None
        sizes = np.resize(np.array(self.sizes, dtype=float), SIZE_BINS)
        load = ClassWorkload(self.clients, self.write_ratio, sizes, sizes, rate_ops=rate)
        return Workload(self.name, load, replace(load, clients=self.clients if self.both else 0))


def handoff_name(workers: int, mix: float) -> str:
    """Of the cell with so many workers in each pool and such a share of writes."""
    return f"handoff:{workers}:{mix:g}"


def cells(keys: int) -> list[Cell]:
    """All of them, for a store with so many keys."""
    result = [
        Cell(handoff_name(workers, mix), workers, both=True, store=True, keys=keys, sizes=SIZES, write_ratio=mix)
        for workers in EACH_POOL
        for mix in MIXES
    ]
    result += [Cell("one client", clients=1), Cell("paced", paced=True), Cell(IDLE, MOST_WORKERS)]
    for label, key_count in (("hot", HOT_KEYS), ("cold", keys)):
        result.append(Cell(f"alone:{label}", keys=key_count))  # the driver looks for its keys in memory too
        for operation, write_ratio in (("get", 0.0), ("put", 1.0)):
            result += [
                Cell(f"{operation}:{size}:{label}", store=True, keys=key_count, sizes=(size,), write_ratio=write_ratio)
                for size in SIZES
            ]
    return result


REFERENCE = (handoff_name(EACH_POOL[1], MIXES[1]), f"get:{SIZES[1]}:cold", f"put:{SIZES[1]}:cold")
"""Cells that tell how fast the machine is now: hand-off, gets and puts, in a fraction of a second."""


def sample(cell: Cell, store, nothing, queue: str, profile: Profile, shortened: bool = False) -> float:
    """One window of a cell: time in ns of a worker per request; of `paced` the median latency in ns, and of
    `one client` the standard deviation of the latency's logarithm, from its quartiles.

    Args:
        store, nothing: of the native module: the store, and one that does nothing.
        shortened: as few requests as show that everything works, for tests.
    """
    model = build_model(profile, cell.workload(), resolve(device_values(profile)), direct=False)
    keys = class_keys(np.random.SeedSequence(0))
    batch = cell.workers if cell.both else 1
    engine = NativeEngine(store if cell.store else nothing, queue, cell.keys, model, keys, (cell.workers, batch))
    count = TINY if shortened else PACED_REQUESTS if cell.paced else REQUESTS
    lead = (count + cell.clients, 0) if cell.paced else (0, 0)
    engine.run_window(count, lead)
    window = engine.run_window(count, (count, 0) if cell.paced else (0, 0))
    if cell.paced:
        return float(np.median(window.latency_ns))
    if cell.clients == 1:
        low, high = np.quantile(np.log(np.maximum(window.latency_ns, 1.0)), (0.25, 0.75))
        return float(high - low) / 1.349
    workers = cell.workers + (batch if cell.both else 0)
    running = min(workers, _usable())
    return running * (window.end_ns - window.start_ns) / count


def idle_processors(nothing, queue: str, profile: Profile) -> float:
    """Processors that the workers of the largest pools take while nothing is asked of them."""
    model = build_model(profile, Cell("idle").workload(), resolve(device_values(profile)), direct=False)
    keys = class_keys(np.random.SeedSequence(0))
    engine = NativeEngine(nothing, queue, HOT_KEYS, model, keys, (MOST_WORKERS, MOST_WORKERS))
    engine.resize((MOST_WORKERS, MOST_WORKERS))
    began, spent = time.perf_counter(), time.process_time()
    time.sleep(IDLE_S)
    return (time.process_time() - spent) / (time.perf_counter() - began)


def one_round(
    number: int, some: list[Cell], store, nothing, queue: str, profile: Profile, shortened: bool = False
) -> Iterator[tuple[str, float]]:
    """Every cell once, in an order by chance: what slows the machine for a while meets different ones in each round.

    Args:
        number: of the round. store, nothing, queue, profile, shortened: as of `sample`.

    Yields:
        (name of the cell, value), as of `sample`, and as of `idle_processors` for `IDLE`.
    """
    for place in np.random.default_rng(number).permutation(len(some)):
        cell = some[place]
        if cell.name == IDLE:
            yield IDLE, idle_processors(nothing, queue, profile)
        else:
            yield cell.name, sample(cell, store, nothing, queue, profile, shortened)


def _usable() -> int:
    return len(os.sched_getaffinity(0))
