"""Little's law in measured windows: a real system that miscounts its own requests is no measure of a twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.validation.windows import Windows

LITTLE_PERCENT = 10.0
"""A window departs if requests counted and those by stamps differ by more than this, and by more than their slack."""


def little(runs: Sequence[Windows]) -> dict:
    """Requests counted in the system over those by the clients' stamps, less 1, in each measured window.

    Returns:
        `windows` that were counted; `median_percent`, `worst_percent` of the absolute departures; `departing`: how many
        exceed `LITTLE_PERCENT`. Null where nothing was counted.
    """
    counted, stamped, slack = (
        np.concatenate([getattr(run, name) for run in runs]) for name in ("counted", "stamped", "slack")
    )
    known = np.isfinite(counted) & (stamped > 0)
    if not known.any():
        return {"windows": 0, "median_percent": None, "worst_percent": None, "departing": 0}
    difference = np.abs(counted[known] - stamped[known])
    departure = 100.0 * difference / stamped[known]
    return {
        "windows": int(known.sum()),
        "median_percent": float(np.median(departure)),
        "worst_percent": float(departure.max()),
        "departing": int(((departure > LITTLE_PERCENT) & (difference > slack[known])).sum()),
    }
