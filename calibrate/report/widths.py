"""Half-widths of 90 % intervals as text, marked where they are too wide to use."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.intervals import TOO_WIDE, too_wide

RESTS_ON = (
    "Own data: the mechanism alone. Unseen: what predict says, the mechanism and, where it helps, the residual of the "
    "other configurations. So errors of unseen configurations may be smaller than those of own data."
)
"""What the errors in a table are errors of."""


def half_width_text(errors: Mapping) -> str:
    """Median half-width of the intervals of an operation's kept-aside configurations, and number of too wide ones.

    Args:
        errors: of the operation, as in a profile's `record.errors_percent`.
    """
    percent = errors["median_half_width"]["configurations"]
    text, wide = f"{percent} %", errors.get("too_wide", 0)
    if too_wide(np.exp(-percent / 100.0), np.exp(percent / 100.0)):
        return f"{text}, {TOO_WIDE}"
    return f"{text}, {wide} {TOO_WIDE}" if wide else text


def interval_text(low: float, high: float, form: str) -> str:
    """An interval in brackets, marked if it is too wide. `form`: format of its ends, such as `.4g`."""
    text = f"[{low:{form}}, {high:{form}}]"
    return f"{text}, {TOO_WIDE}" if too_wide(low, high) else text
