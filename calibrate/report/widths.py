"""Half-widths of 90 % intervals as text, with a word where they are too wide to use."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.intervals import TOO_WIDE, too_wide

RESTS_ON = (
    "Own data: the mechanism alone. Unseen: what predict says, the mechanism with the residual of the other "
    "configurations where that helps, so that an error of unseen ones may be the smaller."
)
"""What the errors of a table rest on."""


def half_width_text(errors: Mapping) -> str:
    """Median half-width of an operation's kept-aside configurations, and how many intervals decide nothing.

    Args:
        errors: of the operation, as in a profile's `record.errors_percent`.
    """
    percent = errors["median_half_width"]["configurations"]
    text, wide = f"{percent} %", errors.get("too_wide", 0)
    if too_wide(np.exp(-percent / 100.0), np.exp(percent / 100.0)):
        return f"{text}, {TOO_WIDE}"
    return f"{text}, {wide} {TOO_WIDE}" if wide else text


def interval_text(low: float, high: float, form: str) -> str:
    """An interval in brackets, its ends in a form such as `.4g`; a wide one with a word."""
    text = f"[{low:{form}}, {high:{form}}]"
    return f"{text}, {TOO_WIDE}" if too_wide(low, high) else text
