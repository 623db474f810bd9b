"""Warning about measurements at a single number of threads."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Measurements


def one_count_text(measurements: Measurements) -> str:
    """The warning if all usable rows have one number of threads; "" for several, or without rows."""
    counts = np.unique(measurements.threads)
    if counts.size != 1:
        return ""
    count = int(counts[0])
    return (
        f"warning: all usable rows are of {count} thread{'s' if count > 1 else ''}: the bandwidth of other numbers is "
        "not known, and may be several times that of the profile; measure more numbers, or use --prior family"
    )
