"""Forecast of every placement by formulas, for policies that see counters alone.

What the threads do is estimated from what a window shows: how many bytes an operation reads and writes. Two placements
that run the same threads on the same cores are one: it is forecast in one way of stating it, and as nothing in others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.numa_threads.counting import GB, LINE_BYTES
from pmtwin.scenarios.numa_threads.formulas import ops_per_s
from pmtwin.scenarios.numa_threads.model import costs_of
from pmtwin.scenarios.numa_threads.options import NumaOptions
from pmtwin.scenarios.numa_threads.workloads import RANDOM, Workload
from pmtwin.sim.control.forecast import Forecast, Forecaster
from pmtwin.sim.numa.load import PUT
from pmtwin.sim.numa.speed_rows import Costs

RATE = "ops_per_s"
ERROR = 0.1
"""Assumed relative error of a forecast of operations/s."""

SIZES = np.round(np.geomspace(100.0, 1_000_000.0, 25))
"""Sizes of values among which the estimate is, in bytes; neighbours differ by 47 %."""

CHANGED = 0.03
"""Relative change of the bytes of an operation from which the estimate is made anew."""

ROUNDS = 5
"""Of the formulas' fixed point; the order of placements then no longer changes."""

_LINE = float(LINE_BYTES)


class Seen(NamedTuple):
    """What a window shows: number of threads, and bytes that an operation reads and writes in persistent memory."""

    threads: int
    read: float
    written: float

    def differs(self, other: Seen | None) -> bool:
        """Whether the threads do something else than in another window."""
        if other is None or other.threads != self.threads:
            return True
        most = CHANGED * max(other.read + other.written, _LINE)
        return abs(self.read - other.read) > most or abs(self.written - other.written) > most


class PlacementForecaster(Forecaster):
    """Forecasts of operations/s on the machine that the options describe; the workload is estimated."""

    def __init__(self, options: NumaOptions, columns: tuple[str, ...]):
        believed = options.believed_profile or options.profile
        self._options, self._threads = replace(options, profile=believed), columns.index("threads")
        self._seen: Seen | None = None
        self._workload = Workload(0.5)

    def forecast(self, observation: np.ndarray, info: Mapping[str, float], settings: np.ndarray) -> Forecast:
        """Operations/s of each placement, shape (1, settings)."""
        bytes_of = GB / max(info[RATE], 1e-9)
        threads = round(float(observation[self._threads]))
        seen = Seen(threads, info["read_gb_s"] * bytes_of, info["written_gb_s"] * bytes_of)
        if info[RATE] > 0.0 and seen.differs(self._seen):
            self._seen, self._workload = seen, self._estimated(seen)
        rates = _rates(self._options, self._workload, tuple(map(tuple, np.asarray(settings).tolist())))
        return Forecast({RATE: rates[None]}, np.zeros((1, len(rates))), np.ones(1), {RATE: ERROR})

    def _estimated(self, seen: Seen) -> Workload:
        """The workload that explains the bytes best; of several that do, the one with values of middle size."""
        streamed = min(max(round(seen.read), SIZES[0]), SIZES[-1])  # what either operation reads, if not from caches
        workloads = [self._of_size(size, seen) for size in (streamed, *SIZES)]
        errors = np.array([self._unexplained(workload, seen) for workload in workloads])
        likely = np.flatnonzero(errors <= errors.min() + CHANGED)
        return sorted((workloads[place] for place in likely), key=lambda each: each.value_bytes)[len(likely) // 2]

    def _of_size(self, size: float, seen: Seen) -> Workload:
        """The workload with values of this size that writes as much as a window shows."""
        puts = float(np.asarray(self._costs(size).written_bytes)[PUT])
        return Workload(round(1.0 - min(seen.written / puts, 1.0), 2), RANDOM, float(size), seen.threads)

    def _unexplained(self, workload: Workload, seen: Seen) -> float:
        """Sum of the relative errors of the bytes read and written; less than a cache line is nothing."""
        costs, mix = self._costs(workload.value_bytes), np.array([workload.read_share, 1.0 - workload.read_share])
        expected = np.array([mix @ np.asarray(costs.read_bytes), mix @ np.asarray(costs.written_bytes)])
        return float(np.abs(np.log((expected + _LINE) / (np.array([seen.read, seen.written]) + _LINE))).sum())

    def _costs(self, size: float) -> Costs:
        return costs_of(self._options, Workload(0.5, RANDOM, float(size)))


@lru_cache(maxsize=256)
def _rates(options: NumaOptions, workload: Workload, settings: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Shape (n,): operations/s of each placement; 0 of the kernel's, and of one that is stated in another way too."""
    wanted, rates = np.array(settings), np.zeros(len(settings))
    near, far = wanted[:, 1], wanted[:, 2]
    ideal = workload.threads * near / np.maximum(near + far, 1)
    for pair in np.unique(wanted[:, 1:], axis=0):
        same = np.flatnonzero((wanted[:, 1:] == pair).all(axis=1))
        rates[same[np.abs(wanted[same, 0] - ideal[same]).argmin()]] = np.nan
    stated = np.isnan(rates) & (near + far > 0)
    rates[:] = 0.0
    on_near = np.where(far == 0, workload.threads, np.where(near == 0, 0, np.minimum(wanted[:, 0], workload.threads)))
    running = np.stack([np.minimum(near, on_near), np.minimum(far, workload.threads - on_near)], axis=1)
    rates[stated] = ops_per_s(options, workload, running[stated].astype(float), rounds=ROUNDS)
    return rates
