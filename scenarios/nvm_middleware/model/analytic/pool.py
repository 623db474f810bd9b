"""A pool with its clients: workers, a line before them, and a trace whose requests wait until a client is free.

While a worker is idle, the number of busy workers is a Markov chain of a system without a line, with arrivals as bursty
as the trace. While all workers are busy, the line is geometric, with the decay of GI/G/c. Work conservation gives the
weights of the two parts. See docs/analytic.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pmtwin.sim.compiling import njit

BALANCED = 1e-5
"""Smallest distance of a load from saturation; the formulas are 0/0 at saturation."""

NEWTON_ROUNDS = 40
SETTLED = 1e-5
MOST_WORKERS = 256
INVERSE = 1.0 / np.maximum(np.arange(MOST_WORKERS + 2), 1.0)

NEGLIGIBLE = 1e-15
FULL = 1e30
"""Largest ratio of two probabilities; it stands for certainty."""

LEAST_SCV = 1e-6
MOST_EXPONENT = 600.0
MOST_ADDED = 0.9
"""Largest correction of a mean line for regular services, in requests. It must be below 1: with 1, `line_probability`
is 1 even beyond saturation, where a geometric line needs more."""


class Pool(NamedTuple):
    """A pool in a steady state.

    Fields:
        rate: answers per ns.
        busy: mean number of workers that serve.
        inside: mean number of requests in the pool, in service or in line.
        waits: probability of a wait in line.
        tail: coefficient of the exponential tail of the time in line: P(time > t) = tail * exp(-decay * t), except for
            short times.
        decay: rate of that tail, per ns; negative where the line is nearly always full.
        longest: time in line of a request at the last place, ns.
        full: share of the waiting requests that wait for `longest`.
        full_variance: variance of `longest`, ns^2.
        full_rate: answers per ns while all workers serve.
        line: mean number of requests in line.
        service_scv: squared coefficient of variation of a service.
    """

    rate: float
    busy: float
    inside: float
    waits: float
    tail: float
    decay: float
    longest: float
    full: float
    full_variance: float
    full_rate: float
    line: float
    service_scv: float


RATE, BUSY, INSIDE, WAITS, TAIL, DECAY, LONGEST, TOP, TOP_VARIANCE, FULL_RATE, LINE, SERVICE_SCV = range(
    len(Pool._fields)
)


@njit(cache=True, error_model="numpy")
def closed_pool(clients, wakeup, service_scv, workers, times):
    """A pool in closed loop: a client sends its next request as soon as it wakes up (machine repairman, M/M/c//N).

    Args:
        clients: N, a whole number.
        wakeup: mean time from an answer to the client's next request, ns.
        service_scv, workers, times: see `solve_pool`.
    """
    full_rate = workers / times[workers]
    weight, total, rate, busy, inside, full = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for away in range(int(clients) + 1):  # clients who wake up
        n = clients - away
        serving = min(n, float(workers))
        speed = serving / times[int(serving)] if n > 0 else 0.0
        total += weight
        rate += weight * speed
        busy += weight * serving
        inside += weight * n
        if n >= workers:
            full += weight
        weight *= speed * wakeup / (away + 1.0)
        if weight < NEGLIGIBLE * total:
            break
    rate, busy, inside = rate / total, busy / total, inside / total
    line = inside - busy
    waits = full / total if line > 0.0 else 0.0
    return Pool(
        rate, busy, inside, waits, waits, 0.0, line / full_rate, 1.0,
        line * service_scv / full_rate**2, full_rate, line, service_scv,
    )  # fmt: skip


@njit(cache=True, error_model="numpy", inner=True)
def without_line(pool, time, service_scv):
    """A pool with a worker for each client, where nobody waits in line; `time` includes the clients' wake-up."""
    busy = pool.rate * time
    return Pool(pool.rate, busy, busy, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, pool.full_rate, 0.0, service_scv)


@njit(cache=True, error_model="numpy")
def decay_exponent(load, arrival_scv, service_scv):
    """x of the tail of GI/G/c in mean gaps: E[exp(-x A)] E[exp(x B load)] = 1, gamma distributed gaps A and services B.

    The root other than 0: positive below saturation, negative beyond.
    """
    a, b = max(arrival_scv, LEAST_SCV), max(service_scv, LEAST_SCV)
    second, third = a + load * load * b, a * a - load**3 * b * b
    x = 2.0 * (1.0 - load) / second
    end = 1.0 / (load * b) if x > 0.0 else -1.0 / a
    x *= max(1.0 + 2.0 * third / (3.0 * second) * x, 0.5)  # the next term of the series
    if not abs(x) < abs(end):
        x = 0.9 * end
    for _ in range(NEWTON_ROUNDS):
        inner, outer = 1.0 - x * load * b, 1.0 + x * a
        value = math.log(outer) / a + math.log(inner) / b
        slope = 1.0 / outer - load / inner
        if slope * end >= 0.0:  # the function is concave and rises from 0: the root lies where it falls
            x = 0.5 * (x + end)
            continue
        bend = -a / (outer * outer) - load * load * b / (inner * inner)
        step = value / (slope - 0.5 * value * bend / slope)  # Halley's method
        if not 0.0 < (x - step) / end < 1.0:
            step = value / slope
        if not 0.0 < (x - step) / end < 1.0:
            step = 0.5 * (x - end)
        x -= step
        if abs(step) < SETTLED * abs(x):
            break
    return x


@njit(cache=True, error_model="numpy")
def peakedness(offered, arrival_scv, service_scv):
    """Variance over mean of the number of busy workers if workers were unlimited (Eckberg 1983, for gamma gaps)."""
    if offered <= 0.0 or arrival_scv == 1.0:
        return 1.0
    a = max(arrival_scv, LEAST_SCV)
    gap = math.exp(-math.log1p(a / offered) / a)  # E[exp(-gap / service)]
    exponential = 1.0 / (1.0 - gap) - offered
    spread = math.sqrt(math.log1p(max(service_scv, 0.0)))
    overlap = 1.0 - math.erf(0.5 * spread)  # integral of the squared survival function, over the mean
    return max(1.0 + (exponential - 1.0) * min(2.0 * overlap, 2.0), 0.05)


@njit(cache=True, error_model="numpy")
def solve_pool(offered_rate, arrival_scv, service_scv, workers, most_inside, beyond, times, speeds):
    """The steady state of a pool.

    Args:
        offered_rate: requests of the trace per ns.
        arrival_scv, service_scv: squared coefficients of variation.
        workers: a whole number, at least 1.
        most_inside: largest number of submitted requests, at least `workers`.
        beyond: largest number of requests of the trace that wait outside while all clients wait for answers.
        times: shape (workers + 1,), mean time of a request by the number in service; ns.
        speeds: shape (workers + 1,), its inverse.
    """
    full_rate = workers / times[workers]
    load = offered_rate / full_rate
    if abs(load - 1.0) < BALANCED:
        load = 1.0 - BALANCED
    offered_rate = load * full_rate
    below_number, below_rate, below_arrivals, entering = idle_workers(
        offered_rate, arrival_scv, service_scv, workers, times, speeds
    )
    exponent = decay_exponent(load, arrival_scv, service_scv)
    log_eta = -math.log1p(exponent * max(arrival_scv, LEAST_SCV)) / max(arrival_scv, LEAST_SCV)
    some = line_probability(log_eta, load, service_scv, workers)
    length = most_inside - workers
    kept = 1.0 - some * math.exp(min(log_eta * (length + beyond), MOST_EXPONENT))
    endless = (offered_rate - below_rate) / (full_rate - offered_rate)
    ratio = endless * kept  # weight of all states without an idle worker over that of the others
    if ratio < 0.0 and load < 1.0:  # the times differ so much that the chain below answers more than the offered rate
        ratio = entering * kept / (1.0 - some)
    elif not 0.0 <= ratio < FULL:
        ratio = FULL
    above = ratio / (1.0 + ratio)
    rate = min((1.0 - above) * below_rate + above * full_rate, offered_rate)
    in_line, at_most = bounded_line(log_eta, some, length, beyond)
    inside = (1.0 - above) * below_number + above * (workers + in_line)
    busy = (1.0 - above) * below_number + above * workers
    waits = min(max(1.0 - (1.0 - above) * below_arrivals / rate, 0.0), 1.0)
    tail = waits
    if load < 1.0 and endless > 0.0:  # an unbounded line then has the mean of Little's law
        all_busy = endless / (1.0 + endless)
        mean_line = all_busy * some / -math.expm1(log_eta)
        tail *= exponent * mean_line / max(1.0 - (1.0 - all_busy) * below_arrivals / offered_rate, 1e-9)
    return Pool(
        rate, busy, inside, waits, min(tail, 1.0), exponent * offered_rate, length / full_rate, at_most,
        length * service_scv / full_rate**2, full_rate, above * in_line, service_scv,
    )  # fmt: skip


@njit(cache=True, error_model="numpy", inner=True)
def idle_workers(offered_rate, arrival_scv, service_scv, workers, times, speeds):
    """The Markov chain of the number n of busy workers while at least one is idle.

    Births have the rate lambda / z + (1 - 1 / z) n / T(n), deaths n / T(n), with the peakedness z. The mean rates of
    arrivals and answers agree, also where times grow with the number in service. Arguments as for `solve_pool`.

    Returns:
        (mean number of busy workers, mean rate of answers, mean rate of arrivals, weight of the first state without an
        idle worker, over the weight of all states with one).
    """
    mean_time = times[workers]
    for _ in range(3):
        number = min(max(offered_rate * mean_time, 1.0), float(workers))
        low = min(int(number), workers - 1)
        mean_time = times[max(low, 1)] + (number - low) * (times[low + 1] - times[max(low, 1)])
    z = peakedness(offered_rate * mean_time, arrival_scv, service_scv)
    birth, more = offered_rate / z, 1.0 - 1.0 / z
    weight, total, numbers, rates = 1.0, 0.0, 0.0, 0.0
    for n in range(workers):
        answers = n * speeds[n]
        total += weight
        numbers += n * weight
        rates += answers * weight
        weight *= max(birth + more * answers, 0.0) * times[n + 1] * INVERSE[n + 1]
        if weight > 1e200:
            total, numbers, rates, weight = total * 1e-200, numbers * 1e-200, rates * 1e-200, weight * 1e-200
    return numbers / total, rates / total, birth + more * rates / total, weight / total


@njit(cache=True, error_model="numpy", inner=True)
def line_probability(log_eta, load, service_scv, workers):
    """P(line >= 1) while all workers are busy, for an unbounded line, which is geometric from its second place on.

    The probability is chosen so that the mean line is right: that of GI/M/c, eta / (1 - eta), plus a correction for
    regular services that hardly depends on the arrivals. The correction is exact for M/G/1 in heavy traffic; for more
    workers it is that of Cosmetatos (1976). Beyond saturation the same formula gives a value above 1.
    """
    more_workers = (workers - 1) * (math.sqrt(4.0 + 5.0 * workers) - 2.0) / (32.0 * workers)
    loaded = min(load, 1.0)
    added = (1.0 - service_scv) * (loaded * (3.0 - loaded) / 12.0 + more_workers)
    eta = math.exp(min(log_eta, MOST_EXPONENT))
    return max(eta + min(added, MOST_ADDED) * (1.0 - eta), 0.0)


@njit(cache=True, error_model="numpy", inner=True)
def bounded_line(log_eta, some, length, beyond):
    """Measures of a line N with at most `length + beyond` places, given `some` from `line_probability`.

    Returns:
        (mean of min(N, length), P(N >= length | N >= 1)).
    """
    last = length + beyond
    if log_eta > 0.0:
        end = math.exp(-log_eta * last)
        waiting = some * (1.0 - end) / (some - end)
    else:
        end = math.exp(log_eta * last)
        waiting = some * (1.0 - end) / (1.0 - some * end)
    further = max(length - 1.0, 0.0)
    mean, at_most = geometric_line(log_eta, further, max(last - 1.0, 0.0) - further)
    return waiting * min(1.0 + mean, length), at_most


@njit(cache=True, error_model="numpy", inner=True)
def geometric_line(log_eta, length, beyond):
    """(mean of min(N, length), P(N >= length)) of a number N in 0 to `length + beyond`, geometric with exp(log_eta)."""
    last = length + beyond
    if log_eta > 0.0:  # mirrored: the number of free places is geometric
        eta, whole = math.exp(-log_eta), -math.expm1(-log_eta * (last + 1.0))
        missing = math.exp(-log_eta * (beyond + 1.0)) * -math.expm1(-log_eta * length) / (1.0 - eta)
        mean = length - (missing - length * math.exp(-log_eta * (last + 1.0))) / whole
        return mean, min(-math.expm1(-log_eta * (beyond + 1.0)) / whole, 1.0)
    eta, end = math.exp(log_eta), math.exp(log_eta * (last + 1.0))
    mean = (eta * -math.expm1(log_eta * length) / (1.0 - eta) - length * end) / (1.0 - end)
    return mean, min((math.exp(log_eta * length) - end) / (1.0 - end), 1.0)
