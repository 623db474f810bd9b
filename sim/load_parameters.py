"""Parameters of the offered load where it varies: the pace of a client, and how rates change from window to window."""

from __future__ import annotations

from pmtwin.sim.parameter import Parameter

LOAD = (
    Parameter(
        "interactive_client_rate_ops",
        750,
        100,
        5_000,
        "operations/s",
        "assumed",
        "150,000 operations/s of 200 clients; thesis Appendix C changes the client threads, not their traces",
        "Offered rate of one interactive client thread, where the load varies.",
        allowed=(1.0, 1e6),
    ),
    Parameter(
        "batch_client_rate_ops",
        750,
        100,
        5_000,
        "operations/s",
        "assumed",
        "150,000 operations/s of 200 clients; thesis Appendix C changes the client threads, not their traces",
        "Offered rate of one batch client thread, where the load varies.",
        allowed=(1.0, 1e6),
    ),
    Parameter(
        "interactive_rate_sigma",
        0.15,
        0,
        0.6,
        "",
        "assumed",
        "thesis Table D.4: quartiles of fixed 15,5 at 184,000 and 227,000 operations/s, if throughput alone missed",
        "Log-normal sigma of the interactive rate from window to window, where the load varies.",
        allowed=(0.0, 2.0),
    ),
    Parameter(
        "batch_rate_sigma",
        0.15,
        0,
        0.6,
        "",
        "assumed",
        "thesis Table D.4: quartiles of fixed 15,5 at 184,000 and 227,000 operations/s, if throughput alone missed",
        "Log-normal sigma of the batch rate from window to window, where the load varies.",
        allowed=(0.0, 2.0),
    ),
    Parameter(
        "rate_correlation",
        0,
        -0.5,
        1,
        "",
        "assumed",
        "two traces of different origin",
        "Correlation of the logarithms of both rates in one window, where the load varies.",
        allowed=(-1.0, 1.0),
    ),
    Parameter(
        "rate_persistence",
        0.5,
        0,
        0.99,
        "",
        "assumed",
        "the blob trace is bursty over seconds; its published statistics do not say how long a burst lasts",
        "Correlation of the logarithm of a rate with that of the next window, where the load varies.",
        allowed=(0.0, 0.999),
    ),
)
