"""Many settings at once: pools and rates in, what a window shows out."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.analytic.latency import PARTS, percentile, service_parts
from pmtwin.sim.analytic.pool import BUSY, DECAY, INSIDE, LONGEST, MOST_WORKERS, RATE, TOP, TOP_VARIANCE, WAITS
from pmtwin.sim.analytic.settings import FIELDS, solve_setting, surroundings
from pmtwin.sim.compiling import njit

TOGETHER = 0.998
"""Of the other class's share of its trace that is answered: a class at least as near keeps up with it."""


@njit(cache=True, error_model="numpy")
def predict_many(models, all_demands, pools, rates, window, tied, beyond, out):
    """Write (rate per ns, mean, percentiles...) of both classes of each setting, shape (n, 2, 2 + len(beyond)).

    Args:
        models, all_demands: shape (1,).
        pools: shape (n, 2).
        rates: shape (n, 2), per ns, infinite for a class in closed loop.
        window: requests of a window.
        tied: whether both classes keep to the proportion of their rates.
        beyond: shares of the requests that take longer than the percentiles that are asked for.
    """
    model, demands = models[0], all_demands[0]
    state, paused = np.empty((2, FIELDS)), np.empty((2, FIELDS))
    times, parts = np.empty((4, MOST_WORKERS + 1)), np.empty((PARTS, 5))
    alone_rates = np.empty(2)
    for s in range(pools.shape[0]):
        solve_setting(model, demands, pools[s], rates[s], window, state, times)
        slow, both = -1, 1.0
        if tied:
            slow, both = share_of_both(state, rates[s])
        if slow >= 0:
            alone_rates[slow], alone_rates[1 - slow] = math.inf, 0.0
            solve_setting(model, demands, pools[s], alone_rates, window, paused, times)
            both = time_of_both(state, paused[slow, RATE], rates[s], slow)
        for c in range(2):
            if state[c, RATE] == 0.0:
                out[s, c, :] = 0.0
                continue
            if c != slow:
                out[s, c, 0] = both * state[c, RATE] if slow >= 0 else state[c, RATE]
                out[s, c, 1] = state[c, INSIDE] / state[c, RATE]
                _percentiles(model, demands, c, pools[s], state, beyond, 1.0, 0.0, parts, out[s, c])
                continue
            rate = both * state[c, RATE] + (1.0 - both) * paused[c, RATE]
            inside = both * state[c, INSIDE] + (1.0 - both) * paused[c, INSIDE]
            out[s, c, 0], out[s, c, 1] = rate, inside / rate
            beside = both * state[c, RATE] / rate  # of its requests, those answered beside the other class
            _percentiles(model, demands, c, pools[s], paused, beyond, 1.0 - beside, beside, parts, out[s, c])
            _percentiles(model, demands, c, pools[s], state, beyond, beside, 0.0, parts, out[s, c])


@njit(cache=True, error_model="numpy")
def share_of_both(state, rates):
    """(the class that holds up the other, -1 if none does; 1)."""
    if state[0, RATE] == 0.0 or state[1, RATE] == 0.0:
        return -1, 1.0
    # closed loops: rates have no proportion
    if not (math.isfinite(rates[0]) and math.isfinite(rates[1])):
        return -1, 1.0
    first, second = state[0, RATE] / rates[0], state[1, RATE] / rates[1]
    if first < TOGETHER * second:
        return 0, 1.0
    return (1, 1.0) if second < TOGETHER * first else (-1, 1.0)


@njit(cache=True, error_model="numpy")
def time_of_both(state, alone, rates, slow):
    """Share of the time in which both classes are served: the rest of it the quicker one waits for the next window."""
    ratio = rates[1 - slow] / rates[slow]
    alone = max(alone, state[slow, RATE])
    return ratio * alone / (state[1 - slow, RATE] - ratio * state[slow, RATE] + ratio * alone)


@njit(cache=True, error_model="numpy")
def _percentiles(model, demands, c, pools, state, beyond, weight, slower, parts, out):
    """Write the percentiles that fall among a share `weight` of the requests, if a share `slower` takes longer."""
    threads, running, held, first, second = surroundings(model, c, pools, max(state[c, BUSY], 1.0), state)
    waking = model.wakeup_ns * (1.0 - state[c, WAITS])
    count, sigma = service_parts(model, demands, c, threads, running, held, waking, first, second, parts)
    for q in range(beyond.shape[0]):
        if slower <= beyond[q] < slower + weight:
            out[2 + q] = percentile(
                (beyond[q] - slower) / weight, parts, count, sigma, state[c, WAITS], state[c, DECAY],
                state[c, LONGEST], state[c, TOP], state[c, TOP_VARIANCE],
            )  # fmt: skip
