"""Numbers of figures and pages: few digits, a minus of its own."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pmtwin.sim.common import number_forms

if TYPE_CHECKING:
    from pmtwin.sim.numerics.statistics import Interval

MINUS = "\u2212"


def number(value: float, digits: int = 3) -> str:
    """A number for a reader: with a number of significant digits, thousands separated."""
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"
    return text.replace("-", MINUS)


percent = partial(number_forms.percent, digits=0)
"""A share in whole percent."""


def with_interval(interval: Interval, digits: int = 3, scale: float = 1.0, unit: str = "") -> str:
    """`mean [low, high]`, or the mean alone where there is no interval."""
    low, high = interval["low"], interval["high"]
    text = f"{number(interval['mean'] * scale, digits)}{unit}"
    if low is None or high is None:
        return text
    return f"{text} [{number(low * scale, digits)}, {number(high * scale, digits)}]"
