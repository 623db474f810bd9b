"""Transient of a process that starts with empty queues: between the fluid limit and the equilibrium.

The mean length of each queue follows `pmtwin.sim.queueing.transient` (pointwise stationary fluid flow). The mean wait
is the queue's length divided by the service rate, plus the equilibrium's wait for the request in service, in proportion
to the length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.two_tier.formulas import MISS_QUEUE, TIER1_QUEUE, effective_rate, from_both
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.sim.queueing.transient import NEAR_FULL, advance_line, spread_of_line
from pmtwin.sim.queueing.waiting import queue

STEPS = 2000


class Transient(NamedTuple):
    """Means of a process that answers n requests, starting with empty queues.

    Fields:
        mean_response_ms: mean response time of the n requests, in milliseconds.
        waiting_misses: mean number of misses that wait when the last request arrives.
        completion_s: time until the last answer, in seconds.
    """

    mean_response_ms: float
    waiting_misses: float
    completion_s: float


def transient(options: TwoTierOptions, rate: float, threads: int, requests: int) -> Transient:
    """Transient of a process with an I/O thread (`--servers separate`), also in overload; rate: requests per second."""
    arrival_s, p = requests / rate, options.miss_rate
    scv = options.arrival_cov**2
    misses = _Line(MISS_QUEUE, p * rate, 1, options.mu2_per_s, options.cov2**2, scv, arrival_s)
    at_tier1 = effective_rate(options, rate)
    tier1 = _Line(
        TIER1_QUEUE, at_tier1, threads, options.mu1_per_s, options.cov1**2, from_both(options, rate), arrival_s
    )
    hit_s, miss_s = 1.0 / options.mu1_per_s, 1.0 / options.mu2_per_s
    response = tier1.mean_wait_s + hit_s + p * (misses.mean_wait_s + miss_s)
    backlog_s = misses.line[-1] / options.mu2_per_s, tier1.line[-1] / (threads * options.mu1_per_s)
    return Transient(1e3 * response, float(misses.line[-1]), arrival_s + float(max(backlog_s)))


class _Line:
    """Mean length of a queue at equal steps from 0 to `duration_s`, and the mean wait of the arrivals."""

    def __init__(
        self, name: str, rate: float, servers: int, per_server: float, scv: float, arrival_scv: float, duration_s: float
    ):
        full = servers * per_server
        stationary = queue(name, min(rate, NEAR_FULL * full), servers, 1.0 / per_server, scv, arrival_scv)
        step, self.line = duration_s / STEPS, np.zeros(STEPS + 1)
        spread = spread_of_line(rate, full, stationary.waiting, arrival_scv, scv)
        most = stationary.waiting if rate < NEAR_FULL * full else np.inf
        for number in range(STEPS):
            self.line[number + 1] = advance_line(self.line[number], rate - full, spread, most, step)
        in_service_s = stationary.wait_s - stationary.waiting / full
        waits = self.line / full + in_service_s * np.minimum(self.line / max(stationary.waiting, 1e-300), 1.0)
        self.mean_wait_s = float(np.trapezoid(waits) / STEPS)
