"""Predictions for many settings at once: mean measures of windows, from pools and offered rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.mixture import (
    fill_parts,
    fill_slices,
    slice_percentile,
    window_percentile,
)
from pmtwin.scenarios.nvm_middleware.model.analytic.pool import INSIDE, LINE, RATE
from pmtwin.scenarios.nvm_middleware.model.analytic.settings import solve_setting
from pmtwin.scenarios.nvm_middleware.model.analytic.window import run_slices
from pmtwin.scenarios.nvm_middleware.model.analytic.workspace import new_workspace
from pmtwin.scenarios.nvm_middleware.model.pools import POOL_MAX, POOL_MIN
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.load.workload import CLASSES

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pmtwin.scenarios.nvm_middleware.model.model import Model

PASSES = 4
"""Number of windows after which the lines of tied classes no longer change."""

TOGETHER = 0.998
"""Share of the other class's answered trace at which a class keeps up with that class."""


class Prediction(NamedTuple):
    """Mean measures of windows for n settings; the arrays' axes are setting and class.

    Fields:
        ops: shape (n, 2), answers per second.
        mean_us: shape (n, 2), mean latency.
        percentile_us: shape (n, 2, m), m percentiles of the latency over all requests, not means over windows.
    """

    ops: np.ndarray
    mean_us: np.ndarray
    percentile_us: np.ndarray


def predict(
    model: Model,
    pools: ArrayLike,
    rates_ops: ArrayLike | None = None,
    percentiles: Sequence[float] = (50.0, 99.0),
    window: int = 5_000,
) -> Prediction:
    """Mean measures of windows in the steady state of each setting, from formulas.

    Args:
        model: a model with a middleware, from `pmtwin.scenarios.nvm_middleware.model.model.build_model`.
        pools: shape (n, 2), threads of both classes.
        rates_ops: operations per second that both classes offer, shape (2,) or (n, 2); None: the workload's rates. A
            class in closed loop has no rate.
        percentiles: percentiles of the latencies, above 0 and below 100.
        window: number of requests in a window.

    Raises:
        InputError: for a model without a middleware, or pools or rates out of range.
    """
    sizes = np.atleast_2d(np.asarray(pools, dtype=np.int64))
    for name, column in zip(CLASSES, sizes.T, strict=True):
        for threads in (column.min(), column.max()):
            check_range(f"{name}_threads", int(threads), POOL_MIN, POOL_MAX)
    loads = model.workload.classes
    offered = [load.rate_ops for load in loads] if rates_ops is None else rates_ops
    given = np.broadcast_to(np.array(offered, dtype=float), sizes.shape)  # None becomes NaN: in closed loop
    if np.any(given <= 0.0):
        raise InputError("rates_ops", float(given[given <= 0.0][0]), "more than 0 operations/s")
    rates = np.where(np.isnan(given) | [load.rate_ops is None for load in loads], np.inf, 1e-9 * given)
    rates = np.where([load.clients > 0 for load in loads], rates, 0.0)
    out = Predictor(model, percentiles, window)(sizes, rates)
    return Prediction(1e9 * out[:, :, 0], 1e-3 * out[:, :, 1], 1e-3 * out[:, :, 2:])


class Predictor:
    """The formulas of one model, for calls in a search: inputs are unchecked and in internal units (ns).

    Each predictor has scratch arrays: threads must not share one.

    Args:
        model, percentiles, window: see `predict`.

    Raises:
        InputError: for a model without a middleware, or a percentile or window out of range.
    """

    def __init__(self, model: Model, percentiles: Sequence[float] = (50.0, 99.0), window: int = 5_000):
        check_served(model)
        for each in percentiles:
            check_range("percentiles", each, 0.001, 99.999)
        check_range("window", window, 10, 10_000_000, "requests")
        self._fixed = float(window), model.workload.tied, 1.0 - 0.01 * np.array(percentiles, dtype=float)
        self._model = model.records, model.demands, new_workspace()

    def __call__(self, pools: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """Shape (n, 2, 2 + m): answers per ns, mean latency in ns, percentiles in ns, by setting and class.

        Args:
            pools: shape (n, 2), int64.
            rates: shape (n, 2), float64, offered requests per ns; infinite in closed loop, 0 without clients.
        """
        out = np.empty((pools.shape[0], 2, 2 + self._fixed[2].shape[0]))
        predict_many(*self._model, pools, rates, *self._fixed, out)
        return out


def check_served(model: Model) -> None:
    """Raise `InputError` for a model that the formulas do not describe."""
    if model.plain.shared:
        raise InputError("engine", "analytic", "compiled or simpy without a middleware: both classes share one line")


@njit(cache=True, error_model="numpy")
def predict_many(models, all_demands, workspaces, pools, rates, window, tied, beyond, out):
    """Write (rate per ns, mean, percentiles...) of both classes of each setting, shape (n, 2, 2 + len(beyond)).

    Args:
        models, all_demands, workspaces: shape (1,).
        pools: shape (n, 2).
        rates: shape (n, 2), per ns, infinite for a class in closed loop.
        window: requests of a window.
        tied: whether the answers of both classes keep the proportion of their rates.
        beyond: shares of the requests that take longer than the requested percentiles.
    """
    model, demands, work = models[0], all_demands[0], workspaces[0]
    for s in range(pools.shape[0]):
        offered = (rates[s, 0], rates[s, 1])
        solve_setting(model, demands, pools[s], offered, window, work.rest, work.times)
        slow = held_up_by(work.rest, offered) if tied else -1
        if slow < 0:
            _predict_at_rest(model, demands, work, pools[s], beyond, out[s])
        else:
            _predict_held_up(model, demands, work, pools[s], offered, window, slow, beyond, out[s])


@njit(cache=True, error_model="numpy", inner=True)
def _predict_at_rest(model, demands, work, pools, beyond, out):
    """Write the measures of both pools in equilibrium to `out`, the row of one setting.

    A pool answers its offered rate or, beyond saturation, at its capacity.
    """
    rest, parts = work.rest, work.parts[0]
    for c in range(2):
        if rest[c, RATE] == 0.0:
            out[c, :] = 0.0
            continue
        out[c, 0], out[c, 1] = rest[c, RATE], rest[c, INSIDE] / rest[c, RATE]
        if beyond.shape[0] > 0:
            count, sigma = fill_parts(model, demands, c, pools, rest, parts)
            for q in range(beyond.shape[0]):
                out[c, 2 + q] = slice_percentile(beyond[q], c, rest, parts, count, sigma)


@njit(cache=True, error_model="numpy", inner=True)
def _predict_held_up(model, demands, work, pools, rates, window, slow, beyond, out):
    """Write the measures of tied classes if class `slow` holds up the other class, which pauses in each window."""
    quick = 1 - slow
    work.budgets[slow], work.budgets[quick] = math.inf, 0.0
    work.lines[slow], work.lines[quick] = work.rest[slow, LINE], 0.0
    used = 0
    for _ in range(PASSES):
        work.budgets[quick] += window * rates[quick] / (rates[0] + rates[1])
        used = run_slices(model, demands, pools, rates, window, window, work)
        if work.lines[quick] == 0.0:  # it pauses before the window ends: all windows are alike
            break
    duration = work.durations[:used].sum()
    for c in (slow, quick):
        total, inside, sigma = fill_slices(model, demands, c, pools, work, used)
        out[c, 0], out[c, 1] = total / duration, inside / total
        for q in range(beyond.shape[0]):
            out[c, 2 + q] = window_percentile(beyond[q], c, work, used, sigma)
    out[quick, 0] = min(out[quick, 0], out[slow, 0] * rates[quick] / rates[slow])


@njit(cache=True, error_model="numpy", inner=True)
def held_up_by(state, rates):
    """The class that holds up the other if they are tied; -1 if none does."""
    if state[0, RATE] == 0.0 or state[1, RATE] == 0.0:
        return -1
    if not (math.isfinite(rates[0]) and math.isfinite(rates[1])):  # rates of closed loops have no proportion
        return -1
    first, second = state[0, RATE] / rates[0], state[1, RATE] / rates[1]
    if first < TOGETHER * second:
        return 0
    return 1 if second < TOGETHER * first else -1
