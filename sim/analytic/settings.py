"""Both classes together: the fixed point of their pools, each of which sees what the other does on average."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pmtwin.sim.analytic.pool import Pool, solve_pool
from pmtwin.sim.analytic.service import class_service
from pmtwin.sim.compiling import njit

MOST_WORKERS = 256
ROUNDS = 60
SETTLED = 1e-5

EMPTY = (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@njit(cache=True, error_model="numpy")
def threads_of(model, pools, busy_first, busy_second):
    """Threads that want a hardware thread."""
    if model.polls:
        return max(float(pools[0]), busy_first) + max(float(pools[1]), busy_second)
    return max(busy_first + busy_second, float(model.spinning))


@njit(cache=True, error_model="numpy")
def operating_point(model, demands, c, pools, running, others, device_share, waking):
    """(mean, second moment, time in the device) of a request of class c beside so many of its own (itself included)."""
    first = running if c == 0 else others
    second = others if c == 0 else running
    inside_own = 1.0 + (running - 1.0) * device_share[c]
    inside_other = others * device_share[1 - c]
    threads = threads_of(model, pools, first, second)
    held = inside_own + inside_other if model.access_holds_cpu else 0.0
    if c == 0:
        return class_service(model, demands, c, threads, running + others, held, waking, inside_own, inside_other)
    return class_service(model, demands, c, threads, running + others, held, waking, inside_other, inside_own)


@njit(cache=True, error_model="numpy")
def solve_setting(model, demands, pools, rates, window, pool_out, times):
    """The steady state of both pools; returns the rounds that it took.

    Args:
        rates: shape (2,), of the traces, per ns; infinite for a class in closed loop.
        window: requests of a window.
        pool_out: shape (2, 8), fields of `Pool`, written.
        times: shape (2, MOST_WORKERS + 1), scratch: mean time of a request by the number in service.
    """
    busy, share = np.zeros(2), np.full(2, 0.3)
    waiting = np.zeros(2)
    for c in range(2):
        if model.clients[c] > 0:
            busy[c] = 0.7 * pools[c]
    rounds = 0
    for rounds in range(1, ROUNDS + 1):
        change = 0.0
        for c in range(2):
            clients = float(model.clients[c])
            if clients == 0.0:
                continue
            workers = int(min(float(pools[c]), clients))
            others = busy[1 - c]
            waking = model.wakeup_ns * (1.0 - waiting[c])
            mean, square, inside = operating_point(model, demands, c, pools, float(workers), others, share, waking)
            middle = max(1.0, min(busy[c], float(workers)))
            mean_middle, square_middle, inside_middle = operating_point(
                model, demands, c, pools, middle, others, share, waking
            )
            alone, _, _ = operating_point(model, demands, c, pools, 1.0, others, share, waking)
            for n in range(1, workers + 1):
                if n <= middle:
                    part = (n - 1.0) / max(middle - 1.0, 1e-9)
                    times[c, n] = alone + min(part, 1.0) * (mean_middle - alone)
                else:
                    times[c, n] = mean_middle + (n - middle) / (workers - middle) * (mean - mean_middle)
            scv = max(square_middle / mean_middle**2 - 1.0, 1e-6)
            full_rate = workers / times[c, workers]
            most = max(clients - full_rate * model.client_wakeup_ns, float(workers))
            rate = rates[c]
            if not math.isfinite(rate):
                found = Pool(
                    full_rate,
                    float(workers),
                    most,
                    1.0,
                    0.0,
                    (most - workers) / full_rate,
                    1.0,
                    (most - workers) * scv / full_rate**2,
                )
            else:
                drift = rate / full_rate - 1.0
                count = window * rate / max(rates[0] + rates[1], 1e-30)
                beyond = 0.5 * math.sqrt(count * (demands.interarrival_scv[c] + scv)) + max(drift, 0.0) * count * 0.5
                found = solve_pool(rate, demands.interarrival_scv[c], scv, workers, most, beyond, times[c])
            change = max(change, abs(found.busy - busy[c]) / workers)
            busy[c] = found.busy
            waiting[c] = found.waits
            fresh = inside_middle / mean_middle
            change = max(change, abs(fresh - share[c]))
            share[c] = fresh
            for f in range(8):
                pool_out[c, f] = found[f]
        if change < SETTLED:
            break
    return rounds, busy, share, waiting
