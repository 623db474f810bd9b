"""What can be set of the two-tiered storage: its load, its servers, and how it is computed."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.options import Options, option

ANALYTIC = "analytic"
ENGINES = (ANALYTIC, "compiled", "simpy")
"""The formulas, and the engines that simulate each request."""

SEPARATE, SHARED = "separate", "shared"


@dataclass(frozen=True)
class TwoTierOptions(Options):
    """One process with its cache: hits are served by k threads, misses first by an I/O thread (section V, figure 5)."""

    engine: str = option(
        "compiled", "the formulas, or an engine that simulates each request", choices=ENGINES, metavar="NAME"
    )
    rate: float | None = option(
        None, "requests per second of a process (lambda), in the place of the loads", low=1e-3, high=1e8, metavar="R"
    )
    miss_rate: float = option(0.2, "share of the requests that miss in the cache (p)", low=0.0, high=1.0, metavar="P")
    mu1_per_s: float = option(
        1000.0, "requests per second that a service thread serves (mu_1)", low=1e-3, high=1e9, metavar="R"
    )
    mu2_per_s: float = option(
        33.0, "misses per second that the I/O thread serves (mu_2)", low=1e-3, high=1e9, metavar="R"
    )
    arrival_cov: float = option(1.0, "coefficient of variation of the gaps between requests", low=0.0, high=10.0)
    cov1: float = option(1.0, "coefficient of variation of the service times of tier 1", low=0.0, high=10.0)
    cov2: float = option(1.0, "coefficient of variation of the service times of misses", low=0.0, high=10.0)
    servers: str = option(
        SEPARATE,
        "separate: an I/O thread for misses; shared: the k threads serve hits and misses alike",
        choices=(SEPARATE, SHARED),
        metavar="KIND",
    )
    processes: int = option(4, "processes, among which the requests are shared out", low=1, high=1_000_000, metavar="P")
    requests: int = option(10_000, "requests of the whole workload", low=1, high=10**9, metavar="N")
    requests_per_window: int = option(2_000, "requests that end a window", low=10, high=10**8, metavar="N")
    response_goal_ms: float = option(20.0, "maximum mean response, in milliseconds", low=0.0, high=1e9, metavar="MS")
