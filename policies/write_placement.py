"""Policies that place writes: on which device of a hybrid storage a request is written, asked before each write."""

from __future__ import annotations

from pmtwin.policies.inline import Choice
from pmtwin.sim.decisions.kind import CHOICE, PointKind

WRITE_PLACEMENT = PointKind(
    "write-placement",
    "which device a write goes to",
    "pmtwin.policies.WritePlacement",
    CHOICE.events,
    least_actions=1,
    extends=CHOICE,
)
"""A choice whose features and actions are those of a hybrid storage; any choice serves it."""


class WritePlacement(Choice):
    """Which device a write goes to.

    A `Choice` whose features are those of `pmtwin.sim.hybrid.features`, and whose actions are the devices, the fastest
    first; a device that cannot hold the request is masked. `point.storage` in `arrays(self, point, key)` has the number
    of `pages`, the `devices`, their `capacity` in pages, and the coming `requests`. The reward is 1 / latency of the
    request in 1/ms.
    """

    decides = WRITE_PLACEMENT
