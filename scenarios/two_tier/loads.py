"""Named loads: how many requests a second a process gets."""

from __future__ import annotations

RATES = {"calm": 40.0, "section-v": 100.0, "busy": 150.0}
"""Requests per second of a process under the named loads; the paper's example is the middle one."""


def rate_of(conditions: str | float) -> float:
    """Requests per second of a named load, or a rate itself."""
    return RATES[conditions] if isinstance(conditions, str) else conditions
