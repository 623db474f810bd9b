"""Distribution of a latency: a wait in line plus a service time, a mixture of shifted log-normals (parts)."""

from __future__ import annotations

import math

from pmtwin.scenarios.nvm_middleware.model.analytic.demands import corner, device_time
from pmtwin.scenarios.nvm_middleware.model.analytic.service import host_factors, kind_service
from pmtwin.sim.compiling import njit

PARTS = 32
KINDS_AS_THEY_ARE = 2
"""PARTS: largest number of parts of a service; each kind has up to four: plain, preempted, and with a stall of either
sort. KINDS_AS_THEY_ARE: number of leading parts from which the first guess of a percentile is made."""

PART_FIELDS = 5
WEIGHT, SHIFT, BODY, MEAN, SD = range(PART_FIELDS)
"""Columns of a part: its probability; the shift and the mean of its log-normal body; mean and deviation of both."""

LEAST_WEIGHT = 1e-7
RELEVANT = 0.02
"""Parts with a weight below this fraction of the tail probability are ignored in a percentile."""

CERTAIN = 1e-3
"""A probability that differs from 1 by less than this fraction of the tail probability counts as 1."""

SMALL_SIGMA = 1e-3
STEEP = 6.0
"""Ratio of a service's standard deviation to the scale of the wait above which the spread of the wait is neglected: the
wait counts as 0, or as `longest` if the decay is negative."""

FLAT = 1e-3
"""Decay over the whole line below which a wait counts as uniformly distributed."""

NOTHING = 1e-9
NEAR = 3e-2
"""Log ratio of two tail probabilities within which the tail between them counts as exponential."""

SETTLED = 1e-3
"""Relative error of a percentile's probability, or of its latency."""

MOST_STEPS = 60

_ROOT_HALF = math.sqrt(0.5)


@njit(cache=True, error_model="numpy", inner=True)
def _add(parts, count, weight, shift, mean, variance, sigma):
    """Add a part whose body has the skewness of the host's noise; returns the number of parts."""
    if weight < LEAST_WEIGHT or count == PARTS:
        return count
    sd = math.sqrt(variance)
    body = sd / math.sqrt(math.expm1(sigma * sigma))
    parts[count, WEIGHT] = weight
    parts[count, SHIFT] = shift + mean - body
    parts[count, BODY] = body
    parts[count, MEAN] = shift + mean
    parts[count, SD] = sd
    return count + 1


@njit(cache=True, error_model="numpy", inner=True)
def service_parts(model, demands, c, threads, running, held, waking, first, second, parts):
    """Write the parts of a service of class `c` as columns WEIGHT to SD; returns (their number, sigma of the bodies).

    See `pmtwin.scenarios.nvm_middleware.model.analytic.service.class_service` for the arguments.
    """
    hand, store, slowness, preempted = host_factors(model, threads, running, held)
    i, u, j, v = corner(demands, first, second)
    sigma = max(math.sqrt(math.log(demands.noise_square)), SMALL_SIGMA)
    count = 0
    for k in range(demands.share.shape[0]):
        share = demands.share[k]
        if demands.class_of[k] != c or share <= 0.0:
            continue
        inside = device_time(demands, k, i, u, j, v)
        _, mean, variance, taken = kind_service(model, demands, k, hand, store, slowness, preempted, waking, inside)
        variance = max(variance, (1e-4 * mean) ** 2)
        wear, rare = demands.stall_share[k, 0], demands.stall_share[k, 1]
        plain = share * (1.0 - taken) * (1.0 - wear - rare)
        count = _add(parts, count, plain, 0.0, mean, variance, sigma)
        if taken > 0.0:
            count = _add(parts, count, share * taken, preempted, mean, variance, sigma)
        for s in range(2):
            spread = variance + demands.stall_sd[k, s] ** 2
            weight = share * (1.0 - taken) * demands.stall_share[k, s]
            count = _add(parts, count, weight, demands.stall_ns[k, s], mean, spread, sigma)
    return count, sigma


@njit(cache=True, error_model="numpy", inner=True)
def _above(z):
    """Probability that a standard normal variable exceeds `z`."""
    return 0.5 * math.erfc(z * _ROOT_HALF)


@njit(cache=True, error_model="numpy", inner=True)
def _between(low, high):
    """Probability that a standard normal variable lies between `low` and `high`."""
    return 0.5 * (math.erfc(low * _ROOT_HALF) - math.erfc(high * _ROOT_HALF))


@njit(cache=True, error_model="numpy", inner=True)
def _some_wait(t, mean, sd, alone, rate, longest, end, extra):
    """P(W + S > t), W exponential with `rate` between 0 and `longest`, S with tail `alone`; see docs/analytic.md."""
    if rate > 0.0:
        if rate * sd > STEEP:
            return alone
        moved = mean + rate * sd * sd
        late = math.exp(min(rate * (mean - t) + 0.5 * (rate * sd) ** 2, 700.0))
        if end < NOTHING:
            return min(alone + late * _above((moved - t) / sd), 1.0)
        late *= _between((t - longest - moved) / sd, (t - moved) / sd)
        late = (late - end * _between((t - longest - mean) / sd, (t - mean) / sd)) / (1.0 - end)
        return min(alone + max(late, 0.0), 1.0)
    spread = math.sqrt(sd * sd + extra)
    if -rate * spread > STEEP:
        return _above((t - longest - mean) / spread)
    moved = mean + rate * spread * spread
    late = _between((t - longest - mean) / spread, (t - mean) / spread)
    late -= math.exp(min(rate * (longest - t + mean) + 0.5 * (rate * spread) ** 2, 700.0)) * _between(
        (t - longest - moved) / spread, (t - moved) / spread
    )
    return min(alone + max(late / (1.0 - end), 0.0), 1.0)


@njit(cache=True, error_model="numpy", inner=True)
def latency_tail(t, parts, count, least, sigma, waits, rate, longest, end, full, full_variance):
    """Probability that a latency is longer than `t`.

    Args:
        t: latency, in ns.
        least: parts with a smaller weight are ignored.
        waits, rate: coefficient and decay of the exponential tail of the time in line.
        end: exp(-|rate| longest).
        longest, full, full_variance: see `pmtwin.scenarios.nvm_middleware.model.analytic.pool.Pool`.
    """
    result = total = 0.0
    for p in range(count):
        weight, shift, body, mean, sd = parts[p, 0], parts[p, 1], parts[p, 2], parts[p, 3], parts[p, 4]
        if weight < least:
            continue
        total += weight
        tail = 1.0
        if t > shift and waits * full < 1.0:
            tail = _above(math.log((t - shift) / body) / sigma + 0.5 * sigma)
        if waits > 0.0:
            some = top = 0.0
            if full < 1.0:
                some = _some_wait(t, mean, sd, tail, rate, longest, end, full_variance)
            if full > NOTHING:
                top = _above((t - longest - mean) / math.sqrt(sd * sd + full_variance))
            tail += waits * ((1.0 - full) * some + full * top - tail)
        result += weight * tail
    return result / total


@njit(cache=True, error_model="numpy", inner=True)
def _deviations(beyond):
    """Approximate normal quantile: standard deviations that a share `beyond` of normal variables exceeds."""
    return math.sqrt(max(-2.0 * math.log(2.0 * beyond), 0.0)) * 0.85


@njit(cache=True, error_model="numpy", inner=True)
def _first_guess(beyond, parts, count, waits, decay, longest, end, full, full_variance):
    """(approximate latency that a share `beyond` exceeds, its derivative by the logarithm of the share)."""
    total = mean = square = 0.0
    for p in range(min(count, KINDS_AS_THEY_ARE)):
        total += parts[p, WEIGHT]
        mean += parts[p, WEIGHT] * parts[p, MEAN]
        square += parts[p, WEIGHT] * (parts[p, MEAN] ** 2 + parts[p, SD] ** 2)
    mean /= total
    variance = max(square / total - mean * mean, 0.0)
    if waits * full >= beyond:  # among the longest waits
        spread, deviations = math.sqrt(variance + full_variance), _deviations(beyond / (waits * full))
        return mean + longest + deviations * spread, spread / (0.8 + 0.8 * deviations)
    spread, deviations, line = math.sqrt(variance), _deviations(beyond), 0.0
    scale = spread / (0.8 + 0.8 * deviations)
    if waits > beyond:
        part = (beyond / waits - full) / (1.0 - full)  # share of the waiting requests
        if decay > 0.0:
            line = -math.log(end + part * (1.0 - end)) / decay
        else:
            line = longest - math.log(1.0 - part * (1.0 - end)) / decay
        scale = max(scale, min(1.0 / abs(decay), longest))
    return mean + math.sqrt(line * line + (deviations * spread) ** 2), scale


@njit(cache=True, error_model="numpy", inner=True)
def ready(waits, decay, longest):
    """(coefficient and decay of the tail of the time in line, exp(-|decay| longest)), kept away from 0/0."""
    waits = waits if longest > 0.0 else 0.0
    if abs(decay * longest) < FLAT:
        decay = FLAT / max(longest, 1e-9)
    return waits, decay, math.exp(-abs(decay) * longest)


@njit(cache=True, error_model="numpy", inner=True)
def _rounded(probability, negligible):
    """The probability, rounded to 1 if it is within `negligible` of 1."""
    return 1.0 if probability > 1.0 - negligible else probability


@njit(cache=True, error_model="numpy", inner=True)
def percentile(beyond, parts, count, sigma, waits, decay, longest, full, full_variance):
    """The latency in ns that a share `beyond` exceeds, as a root of the log tail between two bounds."""
    goal, least = math.log(beyond), RELEVANT * beyond
    waits, decay, end = ready(waits if waits > 0.1 * least else 0.0, decay, longest)
    waits, full = _rounded(waits, CERTAIN * beyond), _rounded(full, CERTAIN * beyond)
    t, scale = _first_guess(beyond, parts, count, waits, decay, longest, end, full, full_variance)
    low, high, side = 0.0, math.inf, 0
    excess_low = excess_high = before = before_excess = 0.0
    for _ in range(MOST_STEPS):
        tail = latency_tail(t, parts, count, least, sigma, waits, decay, longest, end, full, full_variance)
        excess = math.log(max(tail, 1e-300)) - goal
        if before > 0.0 and excess != before_excess:
            scale = (t - before) / (before_excess - excess)
        if abs(excess) < NEAR:
            return t + scale * excess
        before, before_excess = t, excess
        if excess > 0.0:
            low, excess_low = t, excess
            excess_high *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            high, excess_high = t, excess
            excess_low *= 0.5 if side == -1 else 1.0
            side = -1
        if high == math.inf or low == 0.0:
            t = max(t + 1.2 * scale * excess, 0.7 * t)
        elif high - low < SETTLED * high:
            break
        else:
            t = low + (high - low) * excess_low / (excess_low - excess_high)
    return t
