"""Priors of the thesis' host and load, without the evidence of its tables.

A table: a parameter is inferred by being in it. Ranges are those of `pmtwin.sim.parameters.values`, or narrower where
the reason says so; a parameter that affects only the meaning of the evidence is a nuisance parameter.
"""

from __future__ import annotations

from pmtwin.calibrate.inference.priors import CHOICE, LOG_UNIFORM, UNIFORM, Prior, Priors
from pmtwin.sim.parameters.values import PARAMETERS

MAX_LATENCY = "max_latency"
"""Upper end of the latency scale of Algorithm 1, in us."""


def _prior(
    name: str, distribution: str = UNIFORM, low: float | None = None, high: float | None = None, reason: str = ""
):
    """A prior on a parameter of the twin: its plausible range, unless another is given."""
    parameter = PARAMETERS[name]
    low, high = parameter.low if low is None else low, parameter.high if high is None else high
    return Prior(name, low, high, distribution, reason or parameter.source, parameter.unit)


PRIORS = Priors(
    (
        _prior("handoff_ns", LOG_UNIFORM),
        _prior("handoff_contention_threads", LOG_UNIFORM),
        _prior("handoff_contention_power"),
        _prior(
            "handoff_contention_most",
            LOG_UNIFORM,
            0.3,
            100.0,
            "from a lock that hardly costs more with waiters to growth without end among 64 threads",
        ),
        _prior(
            "handoff_bytes",
            LOG_UNIFORM,
            1_000.0,
            100_000.0,
            "8 KiB multiply the hand-off by 9 at one end, and add 8 % at the other",
        ),
        _prior(
            "client_contention_clients",
            LOG_UNIFORM,
            100.0,
            10_000.0,
            "400 clients multiply the hand-off by 5 at one end, and add 4 % to it at the other",
        ),
        _prior(
            "crowding_threads",
            LOG_UNIFORM,
            5.0,
            1_000.0,
            "600 clients that all spin take 12,000 times as long in the store at one end, and 30 % longer at the other",
        ),
        _prior(
            "remote_mix_factor",
            LOG_UNIFORM,
            1.5,
            20.0,
            "FAST'20 figure 17 has 4.6 among four threads; more threads were not published",
        ),
        _prior(
            "records",
            LOG_UNIFORM,
            1e5,
            1e9,
            "from a store that the caches nearly hold to more than the thesis' database of 600 GB has in small values",
        ),
        _prior("smt_yield"),
        _prior("spinning_clients"),
        _prior("timeslice_ns", LOG_UNIFORM),
        _prior(
            "preemption_share",
            LOG_UNIFORM,
            0.01,
            1.0,
            "p99 jumps where 1 % of the requests are preempted: the share decides on which side a setting lies",
        ),
        _prior("cpu_noise_sigma", UNIFORM, 0.05, 1.0),
        _prior("client_wakeup_ns"),
        _prior(
            "interactive_client_rate_ops",
            LOG_UNIFORM,
            450.0,
            1_600.0,
            "90,000 to 320,000 operations/s of 200 clients; no published throughput is above 357,446",
        ),
        _prior(
            "batch_client_rate_ops",
            LOG_UNIFORM,
            450.0,
            1_600.0,
            "90,000 to 320,000 operations/s of 200 clients; no published throughput is above 357,446",
        ),
        _prior("interactive_rate_sigma", LOG_UNIFORM, 0.01, 0.6),
        _prior("batch_rate_sigma", LOG_UNIFORM, 0.01, 0.6),
        _prior("rate_correlation"),
        _prior("rate_persistence", UNIFORM, 0.0, 0.95),
        _prior("classes_tied", CHOICE),
        Prior(
            MAX_LATENCY,
            1e4,
            1e8,
            LOG_UNIFORM,
            "Algorithm 1 does not state it; it decides what a missed latency goal costs",
            "us",
            nuisance=True,
        ),
    )
)
"""The thesis' host and load; parameters of the store come with the store's own samples."""

COUNTED_STORE = _prior(
    "kv_contention_threads",
    LOG_UNIFORM,
    1.5,
    48.0,
    "200 threads at once take 1,000 times as long at one end, and 5 times at the other",
)
"""Priors that replace `records` for a store in the caches, whose accesses were counted: for a user's own
measurements, unless their records are stated."""
