"""Both classes together: a fixed point in which each pool sees the mean load of the other."""

from __future__ import annotations

import math

from pmtwin.scenarios.nvm_middleware.model.analytic.pool import BUSY, WAITS, Pool, closed_pool, solve_pool, without_line
from pmtwin.scenarios.nvm_middleware.model.analytic.service import class_service
from pmtwin.sim.compiling import njit

SHARE = len(Pool._fields)
FIELDS = SHARE + 1

LATE, LATER = 0.3, 0.1
"""Lag of a trace within a window, which the next window forgets: LATE in standard deviations of the numbers of requests
that arrive and are answered in the window, LATER as a fraction of the excess requests. Fitted to engine `compiled`."""

ROUNDS = 60
SWEEPS = 2
SETTLED = 1e-4
"""Tolerance of the fixed point: change in the share of busy workers, or in the share of these that use the device."""


@njit(cache=True, error_model="numpy", inner=True)
def threads_of(model, pools, busy_first, busy_second):
    """Number of threads that want a hardware thread."""
    if model.polls:
        return max(float(pools[0]), busy_first) + max(float(pools[1]), busy_second)
    return max(busy_first + busy_second, float(model.spinning))


@njit(cache=True, error_model="numpy", inner=True)
def surroundings(model, c, pools, running, state):
    """Mean conditions for a request of class `c`, with `running` requests of its class in service, itself included.

    Returns:
        (threads that want a hardware thread, operations in progress, other requests of the class whose accesses hold a
        hardware thread, hardware threads that accesses of the other class hold, operations of the first class in the
        device, operations of the second class in the device).
    """
    others = state[1 - c, BUSY]
    own_inside = 1.0 + (running - 1.0) * state[c, SHARE]
    other_inside = others * state[1 - c, SHARE]
    holding, held = (running - 1.0, other_inside) if model.access_holds_cpu else (0.0, 0.0)
    if c == 0:
        return threads_of(model, pools, running, others), running + others, holding, held, own_inside, other_inside
    return threads_of(model, pools, others, running), running + others, holding, held, other_inside, own_inside


@njit(cache=True, error_model="numpy", inner=True)
def operating_point(model, demands, c, pools, running, state):
    """(mean, second moment, time in the device) of a class's request, with `running` of its class in service."""
    threads, together, holding, held, first, second = surroundings(model, c, pools, running, state)
    waking = model.wakeup_ns * (1.0 - state[c, WAITS])
    return class_service(model, demands, c, threads, together, holding, held, waking, first, second)


@njit(cache=True, error_model="numpy", inner=True)
def solve_setting(model, demands, pools, rates, window, state, times):
    """The steady state of both pools, written into `state`.

    Args:
        rates: shape (2,), of the traces, per ns; infinite for a class in closed loop, 0 for one that pauses.
        window: requests of a window.
        state: shape (2, FIELDS): for each class the fields of `Pool`, then the share of busy workers with an operation
            in the device.
        times: shape (4, MOST_WORKERS + 1), scratch: mean time of a request of each class by the number in service, then
            the inverses.
    """
    for c in range(2):
        workers = min(float(pools[c]), float(model.clients[c])) if rates[c] > 0.0 else 0.0
        state[c, :] = 0.0
        state[c, BUSY], state[c, SHARE], state[c, WAITS] = 0.7 * workers, 0.3, 0.0
    for _ in range(SWEEPS):  # a cheap start near the solution: requests never wait, or all workers are busy
        for c in range(2):
            if state[c, BUSY] > 0.0:
                workers = min(float(pools[c]), float(model.clients[c]))
                time, _, inside = operating_point(model, demands, c, pools, max(state[c, BUSY], 1.0), state)
                state[c, BUSY], state[c, SHARE] = min(rates[c] * time, workers), inside / time
    for _ in range(ROUNDS):
        change = 0.0
        for c in range(2):
            if state[c, BUSY] > 0.0:
                change = max(change, _settle_class(model, demands, c, pools, rates, window, state, times))
        if change < SETTLED:
            break


@njit(cache=True, error_model="numpy", inner=True)
def _settle_class(model, demands, c, pools, rates, window, state, times):
    """Update one class's pool, given the current state of the other pool; returns the size of the change."""
    clients = float(model.clients[c])
    workers = int(min(float(pools[c]), clients))
    middle = max(1.0, min(state[c, BUSY], float(workers)))
    time, square, inside = operating_point(model, demands, c, pools, middle, state)
    alone = operating_point(model, demands, c, pools, 1.0, state)[0]
    at_full = operating_point(model, demands, c, pools, float(workers), state)[0]
    _fill_times(times[c], times[2 + c], workers, middle, alone, time, at_full)
    scv = max(square / (time * time) - 1.0, 1e-6)
    rate, arrival_scv, wakeup = rates[c], demands.interarrival_scv[c], model.client_wakeup_ns
    if not math.isfinite(rate):
        pool = closed_pool(clients, wakeup, scv, workers, times[c])
    else:
        enough = clients <= pools[c]
        if enough:  # a request of the trace waits for its client, not for a worker
            for n in range(workers + 1):
                times[c, n] += wakeup
                times[2 + c, n] = 1.0 / times[c, n]
        full_rate = workers / times[c, workers]
        most = float(workers) if enough else max(clients - full_rate * wakeup, float(workers))
        count = window * rate / (rates[0] + rates[1])
        beyond = LATE * math.sqrt(count * (arrival_scv + scv)) + LATER * max(rate / full_rate - 1.0, 0.0) * count
        pool = solve_pool(rate, arrival_scv, scv, workers, most, beyond, times[c], times[2 + c])
        if enough:
            pool = without_line(pool, time, scv)
    share = inside / time
    change = max(abs(pool.busy - state[c, BUSY]) / workers, abs(share - state[c, SHARE]))
    if model.wakeup_ns > 0.0:  # who waits in line wakes no worker: the times depend on it
        change = max(change, abs(pool.waits - state[c, WAITS]))
    for f in range(SHARE):
        state[c, f] = pool[f]
    state[c, SHARE] = share
    return change


@njit(cache=True, error_model="numpy", inner=True)
def _fill_times(times, speeds, workers, middle, alone, at_middle, at_full):
    """Write times by the number in service and their inverses: linear from 1 to `middle` and on to `workers`."""
    times[0] = alone
    below = (at_middle - alone) / max(middle - 1.0, 1e-9)
    above = (at_full - at_middle) / max(workers - middle, 1e-9)
    split = int(middle)
    for n in range(1, split + 1):
        times[n] = alone + (n - 1) * below
    for n in range(split + 1, workers + 1):
        times[n] = at_middle + (n - middle) * above
    times[workers] = at_full
    for n in range(workers + 1):
        speeds[n] = 1.0 / times[n]
