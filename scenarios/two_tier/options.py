"""Options of a process of the two-tiered storage: load, servers, and engine."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.options import Options, option

ANALYTIC = "analytic"
ENGINES = (ANALYTIC, "compiled", "simpy")
"""The formulas, and the engines that simulate each request."""

SEPARATE, SHARED = "separate", "shared"


@dataclass(frozen=True)
class TwoTierOptions(Options):
    """A process with its cache: hits are served by k threads, misses first by an I/O thread (section V, figure 5)."""

    engine: str = option(
        "compiled",
        "execution engine: analytic (formulas), compiled or simpy (simulators)",
        choices=ENGINES,
        metavar="NAME",
    )
    rate: float | None = option(
        None, "request rate of a process (lambda), in requests/s, instead of the loads", low=1e-3, high=1e8, metavar="R"
    )
    miss_rate: float = option(0.2, "cache miss rate (p)", low=0.0, high=1.0, metavar="P")
    mu1_per_s: float = option(
        1000.0, "service rate of a service thread (mu_1), in requests/s", low=1e-3, high=1e9, metavar="R"
    )
    mu2_per_s: float = option(
        33.0, "service rate of the I/O thread (mu_2), in misses/s", low=1e-3, high=1e9, metavar="R"
    )
    arrival_cov: float = option(1.0, "coefficient of variation of interarrival times", low=0.0, high=10.0)
    cov1: float = option(1.0, "coefficient of variation of tier-1 service times", low=0.0, high=10.0)
    cov2: float = option(1.0, "coefficient of variation of miss service times", low=0.0, high=10.0)
    servers: str = option(
        SEPARATE,
        "server model: separate (an I/O thread serves misses) or shared (the k threads serve hits and misses)",
        choices=(SEPARATE, SHARED),
        metavar="KIND",
    )
    processes: int = option(4, "number of processes that share the requests", low=1, high=1_000_000, metavar="P")
    requests: int = option(10_000, "number of requests of the workload", low=1, high=10**9, metavar="N")
    requests_per_window: int = option(2_000, "window length, in requests", low=10, high=10**8, metavar="N")
    response_goal_ms: float = option(
        20.0,
        "maximum mean response time, in milliseconds; same as --goal mean_response_ms=MS",
        low=0.0,
        high=1e9,
        metavar="MS",
        excludes=("goal",),
    )
