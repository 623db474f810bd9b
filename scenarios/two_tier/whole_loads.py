"""What the whole storage meets: its named loads, and the decision inside their windows."""

from __future__ import annotations

from pmtwin.sim.decisions.kind import REPLACEMENT
from pmtwin.sim.decisions.point import DecisionPoint

LOADS = {"calm": (2.0, 1.0, 0), "busy": (20.0, 1.2, 0), "skewed": (100.0, 1.4, 0), "drifting": (40.0, 1.3, 64)}
"""Name -> requests/s of a client thread, exponent of the pages' popularity, requests between two steps of drift."""

OF_LOAD = ("client_rate", "skew", "drift")
"""Options for the numbers of a load."""

OWN_RATE = 100.0
"""Of a client thread, where other options than its rate state the requests."""

POINT = DecisionPoint("replacement", "a miss of a full cache", REPLACEMENT, "lru")


def requests_of(conditions: str | tuple[float, float, int]) -> tuple[float, float, int]:
    """Requests of a named load, or as they are stated."""
    return LOADS[conditions] if isinstance(conditions, str) else conditions
