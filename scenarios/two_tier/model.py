"""A process of the two-tiered storage as stations: misses visit the I/O thread, then all requests the threads."""

from __future__ import annotations

import math

from pmtwin.scenarios.two_tier.formulas import MISS_QUEUE, TIER1_QUEUE
from pmtwin.scenarios.two_tier.options import SHARED, TwoTierOptions
from pmtwin.sim.stations import Arrivals, Network, Queue, Servers
from pmtwin.sim.stations.station import Station

HITS, MISSES = "hits", "misses"
THREADS, IO_THREAD = "service threads", "I/O thread"


def network(options: TwoTierOptions, rate: float, threads: int, requests: float = math.inf) -> Network:
    """The model of one process.

    Args:
        options: options of the process.
        rate: requests per second.
        threads: number of service threads, k.
        requests: number of requests that arrive.
    """
    shares = {HITS: 1.0 - options.miss_rate, MISSES: options.miss_rate}
    classes = tuple(name for name, share in shares.items() if share > 0.0)
    stations: list[Station] = [
        Arrivals(name, classes=(name,), rate_ops=shares[name] * rate, cov=options.arrival_cov) for name in classes
    ]
    hit_ns, miss_ns = 1e9 / options.mu1_per_s, 1e9 / options.mu2_per_s
    mean_ns, cov = dict.fromkeys(classes, hit_ns), dict.fromkeys(classes, options.cov1)
    if options.servers == SHARED:
        mean_ns |= {MISSES: miss_ns} if MISSES in classes else {}
        cov |= {MISSES: options.cov2} if MISSES in classes else {}
    elif MISSES in classes:
        stations.append(Queue(MISS_QUEUE, classes=(MISSES,)))
        stations.append(Servers(IO_THREAD, classes=(MISSES,), servers=1, mean_ns=miss_ns, cov=options.cov2))
    stations.append(Queue(TIER1_QUEUE))
    stations.append(Servers(THREADS, servers=threads, mean_ns=tuple(mean_ns.values()), cov=tuple(cov.values())))
    return Network(classes=classes, stations=tuple(stations), requests=requests)
