"""Percentiles of the response time of requests, hits and misses, from arrival to answer.

    P(T > t) = (1-p) P(W_1 + S_1 > t) + p P(W_2 + S_2 + W_1 + S_1 > t)

with independent times. This is exact for exponential services and Poisson arrivals: misses leave their queue as a
Poisson process (Burke, 1956) that does not depend on their times in the queue. With `--servers shared` a request waits
for one of the k threads, and has the service of a hit or of a miss.
"""

from __future__ import annotations

from collections.abc import Sequence

from pmtwin.scenarios.two_tier.formulas import MISS_QUEUE, TIER1_QUEUE, equilibrium, from_both, mixed_service
from pmtwin.scenarios.two_tier.options import SHARED, TwoTierOptions
from pmtwin.sim.queueing.sojourn import Transform, gamma_time, percentile, waiting_time


def response(options: TwoTierOptions, rate: float, threads: int) -> Transform:
    """Laplace transform of the response time in seconds; arguments and errors as for `formulas.equilibrium`."""
    p, arrival_scv = options.miss_rate, options.arrival_cov**2
    hit, miss = (
        gamma_time(1.0 / options.mu1_per_s, options.cov1**2),
        gamma_time(1.0 / options.mu2_per_s, options.cov2**2),
    )
    if options.servers == SHARED:
        waits = waiting_time(TIER1_QUEUE, rate, threads, *mixed_service(options), arrival_scv)
        return lambda s: waits(s) * ((1.0 - p) * hit(s) + p * miss(s))
    waits = waiting_time(TIER1_QUEUE, rate, threads, 1.0 / options.mu1_per_s, options.cov1**2, from_both(options, rate))
    if p == 0.0:
        return lambda s: waits(s) * hit(s)
    miss_waits = waiting_time(MISS_QUEUE, p * rate, 1, 1.0 / options.mu2_per_s, options.cov2**2, arrival_scv)
    return lambda s: waits(s) * hit(s) * ((1.0 - p) + p * miss_waits(s) * miss(s))


def percentiles_ms(options: TwoTierOptions, rate: float, threads: int, shares: Sequence[float]) -> list[float]:
    """Quantiles of the response time, in milliseconds; shares: of the requests below each, from 0 to 1."""
    mean_s = 1e-3 * equilibrium(options, rate, threads).mean_response_ms
    transform = response(options, rate, threads)
    return [1e3 * percentile(transform, share, mean_s) for share in shares]
