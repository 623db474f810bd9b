"""Named loads of a process: requests per second."""

from __future__ import annotations

RATES = {"calm": 40.0, "section-v": 100.0, "busy": 150.0}
"""Load -> requests per second of a process; section-v is the paper's example."""


def rate_of(conditions: str | float) -> float:
    """Requests per second of a named load, or the rate itself."""
    return RATES[conditions] if isinstance(conditions, str) else conditions
