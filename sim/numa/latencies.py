"""Histogram of the times of operations: 64 equal parts of each octave, from 1 ns on."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit

PARTS = 64
OCTAVES = 44
BINS = OCTAVES * PARTS
"""The last bin takes all beyond 4 hours."""


@njit(cache=True, _nrt=False, forceinline=True)
def bin_of(latency_ns):
    """Number of the bin of a time."""
    mantissa, exponent = math.frexp(max(latency_ns, 1.0))
    return min((exponent - 1) * PARTS + int((mantissa - 0.5) * 2.0 * PARTS), BINS - 1)


def bin_edges() -> np.ndarray:
    """Shape (BINS + 1,), ns: ends of the bins."""
    return (2.0 ** np.arange(OCTAVES + 1))[:, None].repeat(PARTS, 1).ravel()[: BINS + 1] * (
        1.0 + np.arange(BINS + 1) % PARTS / PARTS
    )


def quantile_ns(latency: np.ndarray, share: float) -> float:
    """A quantile of the times in a histogram, linear within a bin; nan for an empty one."""
    total = np.cumsum(latency)
    if total[-1] == 0:
        return math.nan
    wanted = share * total[-1]
    place = int(np.searchsorted(total, wanted))
    low, high = bin_edges()[place : place + 2]
    before = total[place] - latency[place]
    return float(low + (high - low) * (wanted - before) / latency[place])
