"""Read-ahead: a processor's prefetchers fetch unneeded lines behind a random access.

The streamer follows an access after some lines in a row, asks for up to two lines ahead for each that it sees, and
stops at the end of a 4 KiB page (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data Prefetch to
L2"). So random accesses of 1 KiB waste more than they use; short ones and aligned whole pages waste nothing. A sweep
measured with the prefetchers off (LATTester) has no read-ahead.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.parameters import READ_AHEAD

LINES_AHEAD = 2.0
"""Lines ahead for each line that the streamer sees, by the manual."""

PAGE_BYTES = 4096.0
FOLLOWED_BYTES = 256.0
"""Bytes of an access before the streamer follows it: such short random loads waste nothing on the machines of
PerMA-Bench."""


def read_ahead_loss(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray
) -> np.ndarray | float:
    """Bytes read ahead over the requested bytes: the mean over the aligned places in a page that an access may have."""
    if not parameters.get(READ_AHEAD):
        return 0.0
    ahead = parameters[READ_AHEAD] * np.maximum(access_size_bytes - FOLLOWED_BYTES, 0.0)
    places = np.maximum(np.floor(PAGE_BYTES / access_size_bytes), 1.0)
    # Behind place k of the page, counted from its end, lie k accesses' bytes: the last places have less than `ahead`.
    short = np.minimum(np.floor(ahead / access_size_bytes), places - 1.0)
    wasted = (access_size_bytes * short * (short + 1.0) / 2.0 + ahead * (places - 1.0 - short)) / places
    return np.where(random, wasted / access_size_bytes, 0.0)
