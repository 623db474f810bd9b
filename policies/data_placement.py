"""Policies that place data: to which node of a NUMA machine values are copied, asked after each window."""

from __future__ import annotations

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.sim.decisions.kind import Event, PointKind

DATA_PLACEMENT = PointKind(
    "data-placement",
    "which node values are copied to",
    "pmtwin.policies.DataPlacement",
    (
        Event(
            "copy_to",
            {"latencies": "float64[::1]", "shares": "float64[::1]"},
            "the number of a node, or -1 for none",
            whole=True,
        ),
    ),
)
"""Time of an access to each node's memory in the last window, and share of the data on each: a node is asked for."""


class DataPlacement(InlinePolicy):
    """Which node values are copied to.

    Compiled: `arrays(self, point, key)` declares the arrays, and `copy_to(arrays, latencies, shares)` is a static
    method that is told the time of an access to each node's memory in the last window in ns, and the share of the data
    on each node. It returns the number of a node, or -1. Plain Python: the same method with `self` for `arrays`, and
    `start(self, point, key)`.
    """

    decides = DATA_PLACEMENT
