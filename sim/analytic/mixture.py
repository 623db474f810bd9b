"""Latencies of a window: the mixture of its slices, each weighted with its answers."""

from __future__ import annotations

import math

from pmtwin.sim.analytic.latency import latency_tail, percentile, ready, service_parts
from pmtwin.sim.analytic.pool import BUSY, DECAY, LONGEST, TOP, TOP_VARIANCE, WAITS
from pmtwin.sim.analytic.settings import surroundings
from pmtwin.sim.compiling import njit

SETTLED = 1e-3
MOST_STEPS = 60


@njit(cache=True, error_model="numpy")
def fill_parts(model, demands, c, pools, state, parts):
    """Write the parts of the services of a class in a slice; returns (their number, sigma of the bodies)."""
    threads, running, held, first, second = surroundings(model, c, pools, max(state[c, BUSY], 1.0), state)
    waking = model.wakeup_ns * (1.0 - state[c, WAITS])
    return service_parts(model, demands, c, threads, running, held, waking, first, second, parts)


@njit(cache=True, error_model="numpy")
def slice_tail(t, c, state, parts, count, least, sigma):
    """Probability that a latency of a class in a slice is longer than `t`."""
    waits, decay, end = ready(state[c, WAITS], state[c, DECAY], state[c, LONGEST])
    return latency_tail(
        t, parts, count, least, sigma, waits, decay, state[c, LONGEST], end, state[c, TOP], state[c, TOP_VARIANCE]
    )


@njit(cache=True, error_model="numpy")
def slice_percentile(beyond, c, state, parts, count, sigma):
    """The latency of a class that a share `beyond` of a slice's answers exceeds, in ns."""
    return percentile(
        beyond, parts, count, sigma, state[c, WAITS], state[c, DECAY], state[c, LONGEST], state[c, TOP],
        state[c, TOP_VARIANCE],
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def mixed_percentile(beyond, c, slices, counts, used, parts, numbers, sigma):
    """The latency of a class that a share `beyond` of a window's answers exceeds, in ns."""
    low, high, total, least = math.inf, 0.0, 0.0, 0.001 * beyond
    for s in range(used):
        if counts[s, c] > 0.0:
            at = slice_percentile(beyond, c, slices[s], parts[s], numbers[s], sigma)
            low, high, total = min(low, at), max(high, at), total + counts[s, c]
    for _ in range(MOST_STEPS):
        if high - low < SETTLED * high:
            break
        middle, tail = 0.5 * (low + high), 0.0
        for s in range(used):
            if counts[s, c] > 0.0:
                tail += counts[s, c] * slice_tail(middle, c, slices[s], parts[s], numbers[s], least, sigma)
        low, high = (middle, high) if tail > beyond * total else (low, middle)
    return 0.5 * (low + high)
