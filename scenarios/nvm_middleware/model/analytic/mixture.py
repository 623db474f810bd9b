"""Latencies of a window: the mixture of its slices, weighted by their numbers of answers."""

from __future__ import annotations

import math

from pmtwin.scenarios.nvm_middleware.model.analytic.latency import latency_tail, percentile, ready, service_parts
from pmtwin.scenarios.nvm_middleware.model.analytic.pool import (
    BUSY,
    DECAY,
    INSIDE,
    LONGEST,
    TAIL,
    TOP,
    TOP_VARIANCE,
    WAITS,
)
from pmtwin.scenarios.nvm_middleware.model.analytic.settings import SHARE, surroundings
from pmtwin.sim.compiling import njit

SETTLED = 1e-3
MOST_STEPS = 60
LEAST = 1e-3
"""Parts with a weight below this fraction of the tail probability are ignored in a percentile."""


@njit(cache=True, error_model="numpy", inner=True)
def fill_parts(model, demands, c, pools, state, parts):
    """Write the parts of a class's services in a slice; returns (their number, sigma of the bodies)."""
    busy = max(state[c, BUSY], 1.0)
    threads, running, holding, held, first, second = surroundings(model, c, pools, busy, state)
    held += holding * state[c, SHARE]
    waking = model.wakeup_ns * (1.0 - state[c, WAITS])
    return service_parts(model, demands, c, threads, running, held, waking, first, second, parts)


@njit(cache=True, error_model="numpy", inner=True)
def slice_tail(t, c, state, parts, count, least, sigma):
    """Probability that a latency of a class in a slice is longer than `t`."""
    waits, decay, end = ready(state[c, TAIL], state[c, DECAY], state[c, LONGEST])
    return latency_tail(
        t, parts, count, least, sigma, waits, decay, state[c, LONGEST], end, state[c, TOP], state[c, TOP_VARIANCE]
    )


@njit(cache=True, error_model="numpy", inner=True)
def slice_percentile(beyond, c, state, parts, count, sigma):
    """The latency of a class that a share `beyond` of a slice's answers exceeds, in ns."""
    return percentile(
        beyond, parts, count, sigma, state[c, TAIL], state[c, DECAY], state[c, LONGEST], state[c, TOP],
        state[c, TOP_VARIANCE],
    )  # fmt: skip


@njit(cache=True, error_model="numpy", inner=True)
def fill_slices(model, demands, c, pools, work, used):
    """Write the parts of a class's services in each slice with answers of the class.

    Returns:
        (number of answers, total time in ns that requests spent in the system, sigma of the bodies).
    """
    total = inside = 0.0
    sigma = 1.0
    for s in range(used):
        total += work.counts[s, c]
        inside += work.slices[s, c, INSIDE] * work.durations[s]
        if work.counts[s, c] > 0.0:
            work.part_counts[s], sigma = fill_parts(model, demands, c, pools, work.slices[s], work.parts[s])
    return total, inside, sigma


@njit(cache=True, error_model="numpy", inner=True)
def window_tail(t, c, work, used, least, sigma):
    """Number of a class's answers in a window with a latency above `t` (ns); arguments as for `latency_tail`."""
    tail = 0.0
    for s in range(used):
        if work.counts[s, c] > 0.0:
            part = slice_tail(t, c, work.slices[s], work.parts[s], work.part_counts[s], least, sigma)
            tail += work.counts[s, c] * part
    return tail


@njit(cache=True, error_model="numpy", inner=True)
def window_percentile(beyond, c, work, used, sigma):
    """The latency of a class that a share `beyond` of a window's answers exceeds, in ns."""
    low, high, total = math.inf, 0.0, 0.0
    for s in range(used):
        if work.counts[s, c] > 0.0:
            at = slice_percentile(beyond, c, work.slices[s], work.parts[s], work.part_counts[s], sigma)
            low, high, total = min(low, at), max(high, at), total + work.counts[s, c]
    for _ in range(MOST_STEPS):
        if high - low < SETTLED * high:
            break
        middle = 0.5 * (low + high)
        if window_tail(middle, c, work, used, LEAST * beyond, sigma) > beyond * total:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
