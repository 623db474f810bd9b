"""Numbers of figures and pages: few digits, a minus of its own."""

from __future__ import annotations

from functools import partial

from pmtwin.sim import number_forms

MINUS = "\u2212"


def number(value: float, digits: int = 3) -> str:
    """A number for a reader: with a number of significant digits, thousands separated."""
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"
    return text.replace("-", MINUS)


percent = partial(number_forms.percent, digits=0)
"""A share in whole percent."""


def with_interval(interval: dict, digits: int = 3, scale: float = 1.0, unit: str = "") -> str:
    """`mean [low, high]`, or the mean alone where there is no interval."""
    mean, low, high = (None if interval[key] is None else interval[key] * scale for key in ("mean", "low", "high"))
    text = f"{number(mean, digits)}{unit}"
    return text if low is None else f"{text} [{number(low, digits)}, {number(high, digits)}]"
