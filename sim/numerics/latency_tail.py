"""High percentiles of many requests: counts in narrow logarithmic bins, which add up over windows, runs and processes.

A percentile is stated only if enough requests lie beyond it: ten of a million requests lie beyond p99.999.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.numerics.statistics import NORMAL_95

TAILS = {"p50": 0.5, "p99": 1e-2, "p99.9": 1e-3, "p99.99": 1e-4, "p99.999": 1e-5}
"""Name of a percentile -> share of the requests beyond it."""

LEAST_BEYOND = 10
"""Least number of requests beyond a stated percentile; the standard deviation of ten is a third of it."""

REQUEST_INTERVAL = (
    "95 % interval of order statistics, as if requests were independent; the dependence of successive requests and the "
    "variation between seeds are not in it"
)

_MANTISSA_BITS = 10
_SHIFT = 52 - _MANTISSA_BITS
_FIRST = 1023 << _MANTISSA_BITS
_BINS = 50 << _MANTISSA_BITS
"""1,024 bins from each power of two to the next, from 1 ns to 13 days; a bin is less than 0.1 % wide."""


class LatencyTail:
    """Counts of the latencies of one kind of request."""

    def __init__(self) -> None:
        self._used = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)  # (bins, counts); the table has all bins
        self._table: np.ndarray | None = None

    @property
    def requests(self) -> int:
        """Number of latencies added."""
        return int(self._bins()[1].sum())

    def add(self, latency_us: np.ndarray) -> None:
        """Count latencies in us, shape (n,)."""
        _count(np.asarray(latency_us, dtype=np.float64), self._open())

    def merge(self, other: LatencyTail) -> None:
        """Count all that `other` has counted."""
        bins, counts = other._bins()
        self._open()[bins] += counts

    def without(self, part: LatencyTail) -> LatencyTail:
        """A new tail of all requests except those of `part`, which was merged into this one."""
        remaining = LatencyTail()
        remaining.merge(self)
        bins, counts = part._bins()
        remaining._open()[bins] -= counts
        return remaining.close()

    def close(self) -> LatencyTail:
        """Free the memory of unused bins; returns itself."""
        self._used, self._table = self._bins(), None
        return self

    def percentile_us(self, beyond: float, least_beyond: float = LEAST_BEYOND) -> float | None:
        """The latency in us that a share `beyond` of the requests exceeds; None if these are below `least_beyond`."""
        if not self.requests or self.requests * beyond < least_beyond * (1.0 - 1e-9):
            return None
        return self._at_rank(self.requests * (1.0 - beyond))

    def summary(self) -> dict[str, Any]:
        """The number of `requests`, and `us`, `low`, `high` and `requests_beyond` for each of `TAILS`.

        `us`, `low` and `high` are None if too few requests lie beyond. Low and high are ends of the interval
        `REQUEST_INTERVAL`; for several runs see `pmtwin.scenarios.comparison.tail_over_runs`.
        """
        result: dict[str, Any] = {"requests": self.requests}
        for name, beyond in TAILS.items():
            value = self.percentile_us(beyond)
            entry = {"us": value, "low": None, "high": None, "requests_beyond": round(self.requests * beyond, 1)}
            if value is not None:
                rank = self.requests * (1.0 - beyond)
                half = NORMAL_95 * math.sqrt(self.requests * beyond * (1.0 - beyond))
                entry |= {"low": self._at_rank(rank - half), "high": self._at_rank(rank + half)}
            result[name] = entry
        return result

    def _open(self) -> np.ndarray:
        """The counts of all bins, as an array to add to."""
        if self._table is None:
            self._table = np.zeros(_BINS, dtype=np.int64)
            self._table[self._used[0]] = self._used[1]
        return self._table

    def _bins(self) -> tuple[np.ndarray, np.ndarray]:
        """(used bins in ascending order, their counts)."""
        if self._table is None:
            return self._used
        used = np.flatnonzero(self._table)
        return used, self._table[used]

    def _at_rank(self, rank: float) -> float:
        """Latency in us at a rank, 0 to the number of requests; linear within its bin."""
        bins, counts = self._bins()
        ends = np.cumsum(counts)
        rank = min(max(rank, 0.0), float(ends[-1]))
        place = int(np.searchsorted(ends, rank))
        low, high = _edges(int(bins[place]))
        return (low + (high - low) * (rank - float(ends[place] - counts[place])) / float(counts[place])) * 1e-3

    def __getstate__(self) -> dict:
        return {"_used": self._bins(), "_table": None}


def _edges(place: int) -> tuple[float, float]:
    """Edges of a bin, in ns."""
    bits = (np.array([place, place + 1], dtype=np.int64) + _FIRST) << _SHIFT
    low, high = bits.view(np.float64)
    return float(low), float(high)


@njit(cache=True)
def _count(latency_us, counts):
    bits = (latency_us * 1e3).view(np.int64)
    for j in range(bits.shape[0]):
        counts[min(max((bits[j] >> _SHIFT) - _FIRST, 0), _BINS - 1)] += 1
