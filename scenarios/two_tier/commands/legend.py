"""Meanings of the names in printed tables of a process."""

from __future__ import annotations

from collections.abc import Iterable

from pmtwin.console.output import print_text
from pmtwin.scenarios.two_tier.scenario import MEASURES

MEANINGS = {measure.name: measure.description for measure in MEASURES} | {
    "w1_ms": "mean time that a request waits for a service thread",
    "completion_s": "time until the last answer of the whole workload",
    "arrival_s": "time until the last request has come",
    "hit_time_s": "all requests of a process at tier 1, one after the other (T_h of equation 1)",
    "miss_time_s": "all misses of a process at its I/O thread (T_m of equation 2)",
    "service_s": "time of the slower tier (T of equations 3 and 4)",
    "effective_rate_per_s": "requests per second that reach the service threads of a process",
    "transient_response_ms": "mean response of the whole workload, from empty queues on",
    "transient_completion_s": "time until its last answer, from empty queues on",
    "lines": "lines in the cache of a process",
    "cost": "the sum of the prices below",
    "cache_gb": "caches of all processes",
    "miss_rate": "share of the requests that miss",
    "mu2_per_s": "misses per second that an I/O thread serves",
    "p99_ms": "99th percentile of the response time",
}


def print_legend(names: Iterable[str]) -> None:
    """Print the meanings of these names; names without a meaning are skipped."""
    print_text("; ".join(f"{name}: {MEANINGS[name]}" for name in names if name in MEANINGS))
