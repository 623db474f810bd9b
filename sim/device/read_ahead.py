"""Read-ahead: a processor's prefetchers fetch unneeded lines behind a random access.

After some consecutive lines the streamer requests up to two lines ahead for each line that it sees, up to the end of a
4 KiB page (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data Prefetch to L2"). Random accesses of
1 KiB therefore read more unneeded bytes than requested ones; short accesses and aligned whole pages read none. A sweep
that was measured with the prefetchers off (LATTester) has no read-ahead.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.parameters import READ_AHEAD

LINES_AHEAD = 2.0
"""Lines ahead for each line that the streamer sees, by the manual."""

PAGE_BYTES = 4096.0
FOLLOWED_BYTES = 256.0
"""Bytes of an access after which the streamer follows it: on the machines of PerMA-Bench, random loads up to this size
have no read-ahead."""


def read_ahead_loss(
    parameters: Mapping[str, float], random: np.ndarray, access_size_bytes: np.ndarray
) -> np.ndarray | float:
    """Bytes read ahead over the requested bytes, as the mean over the aligned places of an access in a page."""
    if not parameters.get(READ_AHEAD):
        return 0.0
    fetched = parameters[READ_AHEAD] * np.maximum(access_size_bytes - FOLLOWED_BYTES, 0.0)
    places = np.maximum(np.floor(PAGE_BYTES / access_size_bytes), 1.0)
    # After place k, counted from the end of the page, k accesses fit: the last places have less room than `fetched`.
    short = np.minimum(np.floor(fetched / access_size_bytes), places - 1.0)
    wasted = (access_size_bytes * short * (short + 1.0) / 2.0 + fetched * (places - 1.0 - short)) / places
    return np.where(random, wasted / access_size_bytes, 0.0)
