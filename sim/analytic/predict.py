"""Many settings at once: pools and rates in, what a window shows out."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.analytic.latency import PARTS, percentile, service_parts
from pmtwin.sim.analytic.settings import MOST_WORKERS, solve_setting, threads_of
from pmtwin.sim.compiling import njit


@njit(cache=True, error_model="numpy")
def predict_many(models, demands, pools, rates, window, beyond, out):
    """Write (rate per ns, mean, percentiles...) of both classes of each setting, shape (n, 2, 2 + len(beyond))."""
    model = models[0]
    pool, times, parts = np.empty((2, 8)), np.empty((2, MOST_WORKERS + 1)), np.empty((PARTS, 5))
    for s in range(pools.shape[0]):
        _, busy, share, waiting = solve_setting(model, demands, pools[s], rates[s], window, pool, times)
        threads = threads_of(model, pools[s], busy[0], busy[1])
        inside = (busy[0] * share[0], busy[1] * share[1])
        held = inside[0] + inside[1] if model.access_holds_cpu else 0.0
        for c in range(2):
            if model.clients[c] == 0:
                out[s, c, :] = 0.0
                continue
            rate, requests = pool[c, 0], pool[c, 2]
            mean = requests / rate
            out[s, c, 0], out[s, c, 1] = rate, mean
            own = max(busy[c], 1.0)
            running = own + busy[1 - c]
            first = 1.0 + (own - 1.0) * share[0] if c == 0 else inside[0]
            second = 1.0 + (own - 1.0) * share[1] if c == 1 else inside[1]
            waking = model.wakeup_ns * (1.0 - waiting[c])
            count, sigma = service_parts(model, demands, c, threads, running, held, waking, first, second, parts)
            waits, decay, longest, full, spread = pool[c, 3], pool[c, 4], pool[c, 5], pool[c, 6], pool[c, 7]
            for q in range(beyond.shape[0]):
                out[s, c, 2 + q] = percentile(beyond[q], mean, parts, count, sigma, waits, decay, longest, full, spread)
