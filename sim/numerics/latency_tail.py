"""Far percentiles of many requests: counts in narrow logarithmic bins, which add up over windows, runs and processes.

A percentile is stated only where enough requests lie beyond it: p99.999 of a million requests rests on ten of them.
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
"""Requests beyond a percentile from which on it is stated: their number then varies by a third."""

REQUEST_INTERVAL = (
    "95 % interval of order statistics, as if requests were independent; what neighbours share, and other seeds, are "
    "not in it"
)

_MANTISSA_BITS = 10
_SHIFT = 52 - _MANTISSA_BITS
_FIRST = 1023 << _MANTISSA_BITS
_BINS = 50 << _MANTISSA_BITS
"""1,024 bins from each power of two to the next: neighbours differ by less than 0.1 %; 1 ns to 13 days."""


class LatencyTail:
    """Latencies of one kind of request, as counts."""

    def __init__(self) -> None:
        self._used = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)  # (bins, counts); of all bins below
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
        """A new tail of all requests except `part`, which was merged into this one before."""
        remaining = LatencyTail()
        remaining.merge(self)
        bins, counts = part._bins()
        remaining._open()[bins] -= counts
        return remaining.close()

    def close(self) -> LatencyTail:
        """Keep the bins that are used and give back the memory of the others; returns itself."""
        self._used, self._table = self._bins(), None
        return self

    def percentile_us(self, beyond: float, least_beyond: float = LEAST_BEYOND) -> float | None:
        """The latency in us that a share `beyond` of the requests exceeds; None where that is too few of them."""
        if not self.requests or self.requests * beyond < least_beyond * (1.0 - 1e-9):
            return None
        return self._at_rank(self.requests * (1.0 - beyond))

    def summary(self) -> dict[str, Any]:
        """`requests`, and for each of `TAILS` `us`, `low`, `high` (None from too few requests) and `requests_beyond`.

        Low and high are the interval `REQUEST_INTERVAL`; over several runs see
        `pmtwin.scenarios.comparison.tail_over_runs`.
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
        """Counts of all bins, to be added to."""
        if self._table is None:
            self._table = np.zeros(_BINS, dtype=np.int64)
            self._table[self._used[0]] = self._used[1]
        return self._table

    def _bins(self) -> tuple[np.ndarray, np.ndarray]:
        """(bins with any requests, ascending; how many each)."""
        if self._table is None:
            return self._used
        used = np.flatnonzero(self._table)
        return used, self._table[used]

    def _at_rank(self, rank: float) -> float:
        """Latency in us at a rank, 0 to the number of requests; linear within the bin that holds it."""
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
