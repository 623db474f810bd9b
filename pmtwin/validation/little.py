"""Little's law in measured windows: a real system that miscounts its requests cannot judge a twin."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.validation.windows import Windows

LITTLE_PERCENT = 10.0
"""A window departs if both counts of requests differ by more than this many percent, and by more than their slack."""


def little(runs: Sequence[Windows]) -> dict:
    """Departures from Little's law: requests counted in the system over requests by clients' timestamps, less 1.

    Returns:
        `windows`: number of windows with a count; `median_percent`, `worst_percent`: of the absolute departures;
            `departing`: number of windows that exceed `LITTLE_PERCENT`. None where no window has a count.
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
