"""Latencies of a window: quantiles of their distribution, in an arbitrary order."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.latency import BODY, SHIFT
from pmtwin.scenarios.nvm_middleware.model.analytic.mixture import fill_slices, slice_percentile, window_tail
from pmtwin.sim.compiling import njit

POINTS = 128
"""Number of latencies at which the distribution is computed, with linear interpolation in between."""

BISECTIONS = 12
LOWEST = 4.5
"""The quantiles begin this many standard deviations of the logarithm below the mean of a body."""

SCALED = 0.97
"""Share of the quantiles that are scaled to the mean by Little's law; p99 and beyond stay unscaled."""

GOLDEN = 0.6180339887498949


@njit(cache=True, error_model="numpy", inner=True)
def quantiles(model, demands, c, pools, work, used, latency):
    """Write as many equally likely latencies of a class as `latency` has room for, in ns and in increasing order."""
    size = latency.shape[0]
    if size == 0:
        return
    total, inside, sigma = fill_slices(model, demands, c, pools, work, used)
    low, high = _ends(c, work, used, total, sigma, size)
    step = math.log(high / low) / (POINTS - 1)
    place, below_t, below = 0, low, 0.0
    for p in range(POINTS):
        t = low * math.exp(step * p)
        reached = 1.0 - window_tail(t, c, work, used, 0.0, sigma) / total
        while place < size and (place + 0.5) / size <= reached:
            share = ((place + 0.5) / size - below) / max(reached - below, 1e-300)
            latency[place] = below_t + share * (t - below_t)
            place += 1
        below_t, below = t, max(reached, below)
    latency[place:] = high
    _scale(latency, inside / total)


@njit(cache=True, error_model="numpy", inner=True)
def _ends(c, work, used, total, sigma, size):
    """(latency at which the quantiles begin, greatest quantile) for `size` latencies of a class, in ns."""
    low, high = math.inf, 0.0
    for s in range(used):
        if work.counts[s, c] > 0.0:
            count = work.part_counts[s]
            for p in range(count):
                low = min(low, work.parts[s, p, SHIFT] + work.parts[s, p, BODY] * math.exp(-LOWEST * sigma))
            high = max(high, slice_percentile(0.25 / size, c, work.slices[s], work.parts[s], count, sigma))
    low, above = max(low, 1.0), high
    for _ in range(BISECTIONS):  # raise the lower end: only rare, quick requests of a few parts lie below
        t = math.sqrt(low * above)
        if 1.0 - window_tail(t, c, work, used, 0.0, sigma) / total > 0.5 / size:
            above = t
        else:
            low = t
    return low, high


@njit(cache=True, error_model="numpy", inner=True)
def _scale(latency, mean):
    """Scale the body of sorted latencies to a given mean, as far as they stay sorted."""
    body = int(SCALED * latency.shape[0])
    if body == 0:
        return
    factor = (mean * latency.shape[0] - latency[body:].sum()) / latency[:body].sum()
    if factor > 0.0:
        edge = latency[body] if body < latency.shape[0] else math.inf
        for i in range(body):
            latency[i] = min(factor * latency[i], edge)


@njit(cache=True, error_model="numpy", inner=True)
def spread_out(first, second, latency, classes):
    """Mix two classes' sorted latencies evenly over a window, each in an order without a trend."""
    sizes = np.array([first.shape[0], second.shape[0]])
    place = np.zeros(2, dtype=np.int64)
    strides = np.array([_stride(sizes[0]), _stride(sizes[1])])
    for i in range(latency.shape[0]):
        c = 0 if (place[0] + 0.5) * sizes[1] <= (place[1] + 0.5) * sizes[0] else 1
        if place[c] >= sizes[c]:
            c = 1 - c
        at = place[c] * strides[c] % sizes[c]
        latency[i] = first[at] if c == 0 else second[at]
        classes[i] = c
        place[c] += 1


@njit(cache=True, error_model="numpy", inner=True)
def _stride(size):
    """A number near the golden section of `size` that is coprime to `size`."""
    stride = max(int(GOLDEN * size), 1)
    while stride > 1:
        a, b = size, stride
        while b > 0:
            a, b = b, a % b
        if a == 1:
            break
        stride -= 1
    return stride
