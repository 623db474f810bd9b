"""The distribution of a latency: time in line, then a service whose bodies, by kind, are shifted log-normals."""

from __future__ import annotations

import math

from pmtwin.sim.analytic.demands import corner, device_time
from pmtwin.sim.analytic.service import host_factors, kind_service
from pmtwin.sim.compiling import njit

PARTS = 32
"""Parts of a service at most: kinds, each as it is, preempted, and with a stall of either sort."""

WEIGHT, SHIFT, BODY, MEAN, SD = range(5)
"""Columns of a part: its probability; the shift and the mean of its log-normal body; mean and deviation of both."""

LEAST_WEIGHT = 1e-7
SMALL_SIGMA = 1e-3
STEEP = 6.0
"""Times in line that are so much shorter than a service varies do not move its tail."""

SETTLED = 2e-4
MOST_STEPS = 60

_ROOT_HALF = math.sqrt(0.5)


@njit(cache=True, error_model="numpy")
def _add(parts, count, weight, shift, mean, variance, sigma):
    """Put down a part whose body has the skewness of the host's noise; returns their number."""
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


@njit(cache=True, error_model="numpy")
def service_parts(model, demands, c, threads, running, held, waking, first, second, parts):
    """Write the parts of a service of class `c` as columns WEIGHT to SD; returns (their number, sigma of the bodies).

    Arguments as of `pmtwin.sim.analytic.service.class_service`.
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


@njit(cache=True, error_model="numpy")
def _above(z):
    """Probability that a standard normal number is greater."""
    return 0.5 * math.erfc(z * _ROOT_HALF)


@njit(cache=True, error_model="numpy")
def _between(low, high):
    """Probability that a standard normal number lies between."""
    return 0.5 * (math.erfc(low * _ROOT_HALF) - math.erfc(high * _ROOT_HALF))


@njit(cache=True, error_model="numpy")
def latency_tail(t, parts, count, sigma, waits, decay, longest, full, full_variance):
    """Probability that a latency is longer than `t`; the arguments are those of the parts and of a `Pool`."""
    result = 0.0
    waiting = waits > LEAST_WEIGHT and longest > 0.0
    rate = decay
    if abs(rate * longest) < 1e-3:
        rate = 1e-3 / max(longest, 1e-9)
    for p in range(count):
        weight, shift, body, mean, sd = parts[p, 0], parts[p, 1], parts[p, 2], parts[p, 3], parts[p, 4]
        alone = 1.0
        if t > shift:
            alone = _above(math.log((t - shift) / body) / sigma + 0.5 * sigma)
        tail = alone
        if waiting:
            late = 0.0
            if full < 1.0:
                if rate > 0.0:
                    if rate * sd < STEEP:
                        moved = mean + rate * sd * sd
                        part = _between((t - longest - moved) / sd, (t - moved) / sd)
                        late = math.exp(min(rate * (mean - t) + 0.5 * (rate * sd) ** 2, 700.0)) * part
                        end = math.exp(-rate * longest)
                        if end > 1e-12:
                            late -= end * _between((t - longest - mean) / sd, (t - mean) / sd)
                            late /= 1.0 - end
                else:
                    spread = math.sqrt(sd * sd + full_variance)
                    if -rate * spread < STEEP:
                        moved = mean + rate * spread * spread
                        part = _between((t - longest - moved) / spread, (t - moved) / spread)
                        late = _between((t - longest - mean) / spread, (t - mean) / spread)
                        late -= math.exp(min(rate * (longest - t + mean) + 0.5 * (rate * spread) ** 2, 700.0)) * part
                        late /= -math.expm1(rate * longest)
                    else:
                        late = _above((t - longest - mean) / spread) - alone
                late = min(alone + max(late, 0.0), 1.0)
            top = _above((t - longest - mean) / math.sqrt(sd * sd + full_variance)) if full > 0.0 else 0.0
            tail = (1.0 - waits) * alone + waits * ((1.0 - full) * late + full * top)
        result += weight * tail
    return result


@njit(cache=True, error_model="numpy")
def percentile(beyond, guess, parts, count, sigma, waits, decay, longest, full, full_variance):
    """The latency that a share `beyond` exceeds, in ns: by secants of its logarithm between two bounds."""
    goal = math.log(beyond)
    low, high = 0.0, math.inf
    excess_low, excess_high = -goal, 0.0
    t = guess
    side = 0
    for _ in range(MOST_STEPS):
        tail = latency_tail(t, parts, count, sigma, waits, decay, longest, full, full_variance)
        excess = math.log(max(tail, 1e-300)) - goal
        if excess > 0.0:
            low, excess_low = t, excess
            if side == 1:
                excess_high *= 0.5
            side = 1
            if high == math.inf:
                t *= 1.5
                continue
        else:
            high, excess_high = t, excess
            if side == -1:
                excess_low *= 0.5
            side = -1
        if high - low < SETTLED * high or abs(excess) < SETTLED:
            break
        t = low + (high - low) * excess_low / (excess_low - excess_high)
        if not low + 0.01 * (high - low) < t < high - 0.01 * (high - low):
            t = min(max(t, low + 0.05 * (high - low)), high - 0.05 * (high - low))
    return t
