"""What a host file means where its hand-off does not grow with the threads: their number is at its upper limit."""

from __future__ import annotations

from pmtwin.sim.parameters.values import PARAMETERS

NAME = "handoff_contention_threads"


def contention_seen(name: str, value: float, high: float | None = None) -> str:
    """What a parameter at its upper limit stands for, in words; empty for any other.

    Args:
        high: end of the interval of the value, if it has one.
    """
    limit = PARAMETERS[name].limits[1] if name == NAME else None
    if limit is None or max(value, high or 0.0) < limit:
        return ""
    return "no contention seen" if value >= limit else f"no contention seen in part of the rounds ({limit:,.0f})"
