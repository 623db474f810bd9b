"""Equations (1) to (7) of the paper, with corrections, which docs/two-tier.md lists.

A process has two queues: misses wait for its I/O thread (M/G/1); once read, they wait with the hits for k service
threads (M/G/k). Or it has one queue, if the k threads serve both (equation 5).
"""

from __future__ import annotations

from typing import NamedTuple

from pmtwin.scenarios.two_tier.options import SHARED, TwoTierOptions
from pmtwin.sim.queueing.waiting import departure_scv, queue

MISS_QUEUE, TIER1_QUEUE = "miss queue", "tier 1 queue"


class Equilibrium(NamedTuple):
    """Steady state of a process; numbers of the miss queue are None if the service threads serve both.

    Fields:
        rho1, rho2: utilisation of the service threads and of the I/O thread, each from 0 to 1.
        l1, l2: mean number of waiting requests, and of waiting misses.
        w1_ms, w2_ms: mean waiting time of a request, and of a miss, in milliseconds.
        mean_response_ms: mean time from a request to its answer, over hits and misses.
    """

    rho1: float
    l1: float
    w1_ms: float
    rho2: float | None
    l2: float | None
    w2_ms: float | None
    mean_response_ms: float


class Fluid(NamedTuple):
    """Times of a whole workload without randomness, in seconds: the slowest part decides.

    Fields:
        arrival_s: time until the last request arrives.
        hit_time_s: T_h of equation (1): all requests of a process at tier 1, one after the other at mu_1.
        miss_time_s: T_m of equation (2).
        service_s: T of equations (3) and (4).
        completion_s: time until the last answer, with k parallel threads and no service before an arrival.
    """

    arrival_s: float
    hit_time_s: float
    miss_time_s: float
    service_s: float
    completion_s: float


def equilibrium(options: TwoTierOptions, rate: float, threads: int) -> Equilibrium:
    """Equations (5) to (7); M/G/k if a coefficient of variation is not 1.

    Args:
        options: options of the process.
        rate: requests per second of a process.
        threads: number of service threads, k.

    Raises:
        InputError: if a queue has no equilibrium.
    """
    return (_shared if options.servers == SHARED else _separate)(options, rate, threads)


def _separate(options: TwoTierOptions, rate: float, threads: int) -> Equilibrium:
    misses, miss_s, hit_s = options.miss_rate * rate, 1.0 / options.mu2_per_s, 1.0 / options.mu1_per_s
    arrival_scv, rho2, l2, w2 = options.arrival_cov**2, 0.0, 0.0, 0.0
    if misses > 0.0:
        rho2, l2, w2, _ = queue(MISS_QUEUE, misses, 1, miss_s, options.cov2**2, arrival_scv)
    rho1, l1, w1, _ = queue(TIER1_QUEUE, rate, threads, hit_s, options.cov1**2, from_both(options, rate))
    response = w1 + hit_s + options.miss_rate * (w2 + miss_s)
    return Equilibrium(rho1, l1, 1e3 * w1, rho2, l2, 1e3 * w2, 1e3 * response)


def from_both(options: TwoTierOptions, rate: float) -> float:
    """Squared coefficient of variation of interarrival times at tier 1, from hits and from departing misses."""
    arrival_scv, p = options.arrival_cov**2, options.miss_rate
    return (1.0 - p) * arrival_scv + p * departure_scv(p * rate / options.mu2_per_s, options.cov2**2, arrival_scv)


def _shared(options: TwoTierOptions, rate: float, threads: int) -> Equilibrium:
    mean_s, scv = mixed_service(options)
    rho, waiting, wait, _ = queue(TIER1_QUEUE, rate, threads, mean_s, scv, options.arrival_cov**2)
    return Equilibrium(rho, waiting, 1e3 * wait, None, None, None, 1e3 * (wait + mean_s))


def mixed_service(options: TwoTierOptions) -> tuple[float, float]:
    """(mean in s, squared coefficient of variation) of the service time of hits and misses (equation 5)."""
    parts = (
        (1.0 - options.miss_rate, options.mu1_per_s, options.cov1),
        (options.miss_rate, options.mu2_per_s, options.cov2),
    )
    mean = sum(share / rate for share, rate, _ in parts)
    square = sum(share * (1.0 + cov**2) / rate**2 for share, rate, cov in parts)
    return mean, square / mean**2 - 1.0


def effective_rate(options: TwoTierOptions, rate: float) -> float:
    """Arrivals per second at tier 1: hits, and misses, at most mu_2 of them. The paper always adds mu_2."""
    return (1.0 - options.miss_rate) * rate + min(options.miss_rate * rate, options.mu2_per_s)


def fluid(options: TwoTierOptions, rate: float, threads: int) -> Fluid:
    """Equations (1) to (4) and the fluid limit, also valid in overload, for the process with the most requests.

    Args:
        options, rate, threads: as for `equilibrium`.
    """
    requests, misses = shares(options)[0]
    arrival, hits, miss = requests / rate, requests / options.mu1_per_s, misses / options.mu2_per_s
    if options.servers == SHARED:
        busy = (requests - misses) / options.mu1_per_s + miss
        return Fluid(arrival, hits, miss, max(hits, miss), max(arrival, busy / threads))
    return Fluid(arrival, hits, miss, max(hits, miss), max(arrival, hits / threads, miss))


def shares(options: TwoTierOptions) -> list[tuple[int, int]]:
    """(number of requests, number of misses) of each process, the largest first."""
    whole, more = divmod(options.requests, options.processes)
    counts = [whole + (number < more) for number in range(options.processes)]
    return [(count, round(options.miss_rate * count)) for count in counts]
