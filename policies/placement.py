"""Policies that place threads: on which node of a NUMA machine a thread runs, asked of each thread in turn."""

from __future__ import annotations

from pmtwin.policies.inline_policy import InlinePolicy
from pmtwin.sim.decisions.kind import Event, PointKind

PLACEMENT = PointKind(
    "placement",
    "which node a thread runs on",
    "pmtwin.policies.Placement",
    (Event("place", {"node": "int64", "accesses": "float64[::1]"}, "the number of a node", whole=True),),
)
"""A thread on a node, with its accesses to the memory of each node in the last window: the node to run on is asked."""


class Placement(InlinePolicy):
    """Which node a thread runs on.

    Compiled: `arrays(self, point, key)` declares the arrays, and `place(arrays, node, accesses)` is a static method
    that is told the node of the thread now, and its accesses to the memory of each node in the last window. Plain
    Python: the same method with `self` for `arrays`, and `start(self, point, key)`.
    """

    decides = PLACEMENT
