"""Engine `analytic`: throughput and latencies of both classes from formulas, without random numbers; approximate.

A window has no requests, only their distribution: its latencies are as many quantiles of it as there are answers. Lines
and what is left of tied traces are carried from window to window. docs/analytic.md derives the formulas and states
their errors.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.analytic.latency import PARTS
from pmtwin.sim.analytic.pool import BUSY, LINE, MOST_WORKERS
from pmtwin.sim.analytic.predict import check_served
from pmtwin.sim.analytic.samples import quantiles, spread_out
from pmtwin.sim.analytic.settings import FIELDS
from pmtwin.sim.analytic.window import MOST_SLICES, run_slices
from pmtwin.sim.compiling import njit
from pmtwin.sim.engines.base import Engine, WindowResult
from pmtwin.sim.errors import InputError
from pmtwin.sim.model import Model
from pmtwin.sim.pools import WITHOUT_END


class AnalyticEngine(Engine):
    """See `pmtwin.sim.engines.base.Engine`; the keys of random numbers change nothing.

    Raises:
        InputError: no middleware, whose clients share one line.
    """

    name = "analytic"

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        check_served(model)
        self._model, self._pools = model, np.array(pools)
        self._pace, self._now, self._carry = (1.0, 1.0), 0.0, 0.0
        self._lines, self._budgets, self._busy = np.zeros(2), np.zeros(2), np.zeros(2)
        self._slices, self._counts = np.empty((MOST_SLICES, 2, FIELDS)), np.empty((MOST_SLICES, 2))
        self._durations, self._rest = np.empty(MOST_SLICES), np.empty((2, FIELDS))
        self._times, self._parts = np.empty((4, MOST_WORKERS + 1)), np.empty((MOST_SLICES, PARTS, 5))
        self._numbers = np.empty(MOST_SLICES, dtype=np.int64)

    def resize(self, pools: tuple[int, int]) -> None:
        self._pools = np.array(pools)

    def set_pace(self, pace: tuple[float, float]) -> None:
        self._pace = pace

    def set_model(self, model: Model) -> None:
        check_served(model)
        self._model = model
        self._budgets[:] = 0.0
        np.minimum(self._lines, model.records[0]["clients"], out=self._lines)

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        model = self._model
        self._release(completions, release)
        arguments = model.records[0], model.demands[0], self._pools
        used, answered = run_window(
            *arguments, self._rates(), completions, self._budgets, self._lines, self._times, self._rest,
            self._slices, self._durations, self._counts,
        )  # fmt: skip
        if answered < completions - 1.0:
            raise RuntimeError(f"the window needs {completions} completions; only {answered:.0f} are released")
        counts, durations = self._counts[:used], self._durations[:used]
        latencies = [np.empty(size) for size in self._sizes(completions, counts.sum(axis=0))]
        for c, latency in enumerate(latencies):
            quantiles(*arguments[:2], c, self._pools, self._slices, self._counts, self._durations, used, self._parts,
                      self._numbers, latency)  # fmt: skip
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        spread_out(*latencies, latency, classes)
        start, self._now = self._now, self._now + float(durations.sum())
        self._busy = self._slices[used - 1, :, BUSY].copy()
        waited = durations @ self._slices[:used, :, LINE]
        return WindowResult(latency, classes, start, self._now, waited)

    def outstanding(self) -> np.ndarray:
        return np.rint(self._lines + self._busy).astype(np.int64)

    def unreleased(self) -> np.ndarray:
        return np.where(self._model.records[0]["closed"], 0, np.rint(self._budgets)).astype(np.int64)

    def _rates(self) -> tuple[float, float]:
        """Of the traces, per ns; infinite in closed loop, 0 for a class without clients."""
        loads = zip(self._model.workload.classes, self._pace, strict=True)
        rates = [1e-9 * pace * load.rate_ops if load.rate_ops else math.inf for load, pace in loads]
        clients = self._model.plain.clients
        return tuple(rate if count else 0.0 for rate, count in zip(rates, clients, strict=True))

    def _release(self, completions: int, release: tuple[int, int]) -> None:
        """Add the requests of a window to those that may be submitted.

        Raises:
            InputError: all that is released is to be answered: the formulas have no end of a trace.
        """
        for c, part in enumerate(release):
            endless = part >= WITHOUT_END or self._model.plain.closed[c]
            self._budgets[c] = math.inf if endless else self._budgets[c] + part
        if self._budgets.sum() < completions + 1.0:
            allowed = "windows of a number of requests with engine analytic: take engine compiled"
            raise InputError("window_seconds", "a drained window", allowed)

    def _sizes(self, completions: int, counts: np.ndarray) -> tuple[int, int]:
        """Whole numbers of answers by class; what rounding holds back is carried over."""
        exact = completions * float(counts[0] / counts.sum()) + self._carry
        first = min(max(round(exact), 0), completions)
        self._carry = exact - first if 0 < first < completions else 0.0
        return first, completions - first


@njit(cache=True, error_model="numpy")
def run_window(model, demands, pools, rates, requests, budgets, lines, times, rest, slices, durations, counts):
    """(number of slices, answers); arguments as of `run_slices`."""
    used = run_slices(
        model, demands, pools, rates, requests, requests, budgets, lines, times, rest, slices, durations, counts
    )
    return used, counts[:used].sum()
