"""Measurements at a single number of threads, which do not say what more threads reach."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Measurements


def one_count_text(measurements: Measurements) -> str:
    """The warning where all usable rows were measured at one number of threads; "" for several, or no rows."""
    counts = np.unique(measurements.threads)
    if counts.size != 1:
        return ""
    count = int(counts[0])
    return (
        f"warning: all usable rows are of {count} thread{'s' if count > 1 else ''}: what others reach is "
        "not known, and may be several times what the profile says; measure more numbers, or use --prior family"
    )
