"""Engine `analytic`: throughput and latencies of both classes from formulas, without random numbers; approximate.

A window has no individual requests, only a distribution of latencies: the result has one quantile for each answer. The
lines and the unsubmitted rest of tied traces are carried over from window to window. docs/analytic.md derives the
formulas and states their errors.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.pool import BUSY, LINE
from pmtwin.scenarios.nvm_middleware.model.analytic.predict import check_served
from pmtwin.scenarios.nvm_middleware.model.analytic.samples import quantiles, spread_out
from pmtwin.scenarios.nvm_middleware.model.analytic.window import run_slices
from pmtwin.scenarios.nvm_middleware.model.analytic.workspace import new_workspace
from pmtwin.scenarios.nvm_middleware.model.engines.base import Engine, WindowResult
from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.scenarios.nvm_middleware.model.pools import WITHOUT_END
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError


class AnalyticEngine(Engine):
    """See `pmtwin.scenarios.nvm_middleware.model.engines.base.Engine`; `keys` are unused, since nothing is random.

    Raises:
        InputError: for a model without a middleware, where both classes share one line.
    """

    name = "analytic"
    copyable = True

    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        check_served(model)
        self._model, self._pools = model, np.array(pools)
        self._pace, self._now, self._carry = (1.0, 1.0), 0.0, 0.0
        self._busy = np.zeros(2)
        self._workspace = new_workspace()

    def resize(self, pools: tuple[int, int]) -> None:
        self._pools = np.array(pools)

    def set_pace(self, pace: tuple[float, float]) -> None:
        self._pace = pace

    def set_model(self, model: Model) -> None:
        check_served(model)
        self._model = model
        work = self._workspace[0]
        work["budgets"] = 0.0
        np.minimum(work["lines"], model.records[0]["clients"], out=work["lines"])

    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        model, work = self._model, self._workspace[0]
        self._release(completions, release)
        arguments = model.records, model.demands, self._workspace, self._pools
        used = _run(*arguments, self._rates(), completions)
        counts, durations = work["counts"][:used], work["durations"][:used]
        answered = counts.sum()
        if answered < completions - 1.0:
            raise RuntimeError(f"the window needs {completions} completions; only {answered:.0f} are released")
        latency, classes = np.empty(completions), np.empty(completions, dtype=np.uint8)
        _fill(*arguments, used, *self._sizes(completions, counts.sum(axis=0)), latency, classes)
        start, self._now = self._now, self._now + float(durations.sum())
        self._busy = work["slices"][used - 1, :, BUSY].copy()
        waited = durations @ work["slices"][:used, :, LINE]
        return WindowResult(latency, classes, start, self._now, waited)

    def outstanding(self) -> np.ndarray:
        return np.rint(self._workspace[0]["lines"] + self._busy).astype(np.int64)

    def unreleased(self) -> np.ndarray:
        return np.where(self._model.records[0]["closed"], 0, np.rint(self._workspace[0]["budgets"])).astype(np.int64)

    def _rates(self) -> tuple[float, float]:
        """Rates of the traces, per ns; infinite in closed loop, 0 for a class without clients."""
        loads = zip(self._model.workload.classes, self._pace, strict=True)
        rates = [1e-9 * pace * load.rate_ops if load.rate_ops else math.inf for load, pace in loads]
        clients = self._model.plain.clients
        interactive, batch = (rate if count else 0.0 for rate, count in zip(rates, clients, strict=True))
        return interactive, batch

    def _release(self, completions: int, release: tuple[int, int]) -> None:
        """Add the requests that a window releases to those that may be submitted.

        Raises:
            InputError: for a drained window, which must answer all released requests: the formulas cannot do that.
        """
        budgets = self._workspace[0]["budgets"]
        for c, part in enumerate(release):
            endless = part >= WITHOUT_END or self._model.plain.closed[c]
            budgets[c] = math.inf if endless else budgets[c] + part
        if budgets.sum() < completions + 1.0:
            raise InputError("engine", self.name, "compiled or simpy with drained windows (window_seconds, drain)")

    def _sizes(self, completions: int, counts: np.ndarray) -> tuple[int, int]:
        """Whole numbers of answers by class; the rounding error is carried over to the next window."""
        exact = completions * float(counts[0] / counts.sum()) + self._carry
        first = min(max(round(exact), 0), completions)
        self._carry = exact - first if 0 < first < completions else 0.0
        return first, completions - first


@njit(cache=True, error_model="numpy")
def _run(models, demands, workspaces, pools, rates, requests):
    """Number of slices of a window; arguments as for `run_slices`, the first three as arrays of shape (1,)."""
    return run_slices(models[0], demands[0], pools, rates, requests, requests, workspaces[0])


@njit(cache=True, error_model="numpy")
def _fill(models, demands, workspaces, pools, used, first, second, latency, classes):
    """Write the latencies of a window: `first` and `second` are the numbers of answers of both classes."""
    sorted_latency = np.empty(first + second)
    quantiles(models[0], demands[0], 0, pools, workspaces[0], used, sorted_latency[:first])
    quantiles(models[0], demands[0], 1, pools, workspaces[0], used, sorted_latency[first:])
    spread_out(sorted_latency[:first], sorted_latency[first:], latency, classes)
