"""Named loads and the decision point of the whole two-tiered storage."""

from __future__ import annotations

from pmtwin.sim.decisions.kind import REPLACEMENT
from pmtwin.sim.decisions.point import DecisionPoint

LOADS = {"calm": (2.0, 1.0, 0), "busy": (20.0, 1.2, 0), "skewed": (100.0, 1.4, 0), "drifting": (40.0, 1.3, 64)}
"""Load -> requests/s of a client thread, exponent of the pages' popularity, requests between two steps of drift."""

OF_LOAD = ("client_rate", "skew", "drift")
"""Options for the numbers of a load."""

OWN_RATE = 100.0
"""Request rate of a client thread if other options set the requests, in requests/s."""

POINT = DecisionPoint("replacement", "a miss of a full cache", REPLACEMENT, "lru")


def requests_of(conditions: str | tuple[float, float, int]) -> tuple[float, float, int]:
    """(client rate, skew, drift) of a named load, or the values themselves."""
    return LOADS[conditions] if isinstance(conditions, str) else conditions
