"""Distribution of the latency of a single access: a narrow body, wear-levelling stalls, and rarer, shorter stalls.

Source: FAST'20, section 3.3 and figures 2 and 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from pmtwin.sim.device.tail import Tail

BISECTIONS = 16
"""Bisections of a quantile: they reduce the longest stall to about a nanosecond."""


@dataclass(frozen=True)
class AccessLatency:
    """Latency of accesses of one kind; arrays broadcast against each other.

    Args:
        mean_ns: mean of the body, shape (n,) or a number.
        tail: spread of the body, and the stalls.
        lines: media lines that an access writes; 0 for reads, which do not stall.
        region_bytes: size of the block that is written repeatedly; infinite without a hot spot.
    """

    mean_ns: np.ndarray | float
    tail: Tail
    lines: np.ndarray | float = 0.0
    region_bytes: float = math.inf

    @property
    def stall_probability(self) -> np.ndarray:
        """Probability that an access meets a wear-levelling stall."""
        per_line = self.tail.stall_probability_in(self.region_bytes)
        return -np.expm1(np.asarray(self.lines, dtype=float) * math.log1p(-per_line))

    @property
    def rare_stall_probability(self) -> np.ndarray:
        """Probability that an access meets one of the rarer stalls."""
        return -np.expm1(np.asarray(self.lines, dtype=float) * math.log1p(-self.tail.rare_stall_probability))

    def exceedance(self, latency_ns: np.ndarray) -> np.ndarray:
        """Probability that an access takes longer than `latency_ns`."""
        t, median = np.asarray(latency_ns, dtype=float), self._median_ns()
        body, p, r = self._body_exceedance(t), self.stall_probability, self.rare_stall_probability
        low, high = self.tail.rare_stall_low_ns, self.tail.rare_stall_high_ns
        rare = np.clip((high + median - t) / max(high - low, 1e-9), 0.0, 1.0)
        beyond = (1.0 - p - r) * body + r * np.maximum(rare, body)
        if not math.isfinite(self.region_bytes):
            return beyond
        wear = _normal_exceedance((t - median - self.tail.stall_ns) / max(self.tail.stall_sd_ns, 1e-9))
        return beyond + p * np.maximum(wear, body)

    def quantile(self, probability: float) -> np.ndarray:
        """Latency in ns that a share `probability` (0 to 1, both exclusive) of the accesses does not exceed."""
        from scipy.special import ndtri

        shape = np.broadcast_shapes(np.shape(self.mean_ns), np.shape(self.lines))
        columns = (self.mean_ns, self.stall_probability, self.rare_stall_probability, self._median_ns())
        mean, p, r, median = (np.broadcast_to(column, shape).reshape(-1) for column in columns)
        tail = 1.0 - probability
        # Below the shortest stall all stalled accesses are slower, so the body has the rest of the tail.
        body_tail = np.clip((tail - p - r) / np.maximum(1.0 - p - r, 1e-12), 0.0, 1.0)
        latency = median * np.exp(self.tail.write_body_sigma * ndtri(1.0 - body_tail))
        wear_low = self.tail.stall_ns - 8.0 * self.tail.stall_sd_ns
        shortest = np.where(p > 0, min(wear_low, self.tail.rare_stall_low_ns), self.tail.rare_stall_low_ns)
        open_ = (p + r > 0) & ~(latency < median + shortest)
        if np.any(open_):
            lines = np.broadcast_to(self.lines, shape).reshape(-1)[open_]
            part = AccessLatency(mean[open_], self.tail, lines, self.region_bytes)
            latency[open_] = part._bisected(probability, median[open_])
        return latency.reshape(shape)

    def _bisected(self, probability: float, median: np.ndarray) -> np.ndarray:
        longest = self.tail.rare_stall_high_ns
        if math.isfinite(self.region_bytes):
            longest = max(longest, self.tail.stall_ns + 8.0 * self.tail.stall_sd_ns)
        body = median * _body_factor(probability, self.tail.write_body_sigma)
        low, high = body, np.maximum(body, median) + longest
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            beyond = self.exceedance(middle) > 1.0 - probability
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        return 0.5 * (low + high)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """`n` random latencies in ns of one kind of access: `mean_ns` and `lines` must be numbers."""
        body = self._median_ns() * np.exp(self.tail.write_body_sigma * rng.standard_normal(n))
        kind = rng.random(n)
        wear = kind < self.stall_probability
        rare = ~wear & (kind < self.stall_probability + self.rare_stall_probability)
        body[wear] += rng.normal(self.tail.stall_ns, self.tail.stall_sd_ns, int(wear.sum()))
        body[rare] += rng.uniform(self.tail.rare_stall_low_ns, self.tail.rare_stall_high_ns, int(rare.sum()))
        return body

    def _median_ns(self) -> np.ndarray:
        return np.asarray(self.mean_ns, dtype=float) * math.exp(-0.5 * self.tail.write_body_sigma**2)

    def _body_exceedance(self, t: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return _normal_exceedance(np.log(t / self._median_ns()) / max(self.tail.write_body_sigma, 1e-9))


def _normal_exceedance(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(-z)


def _body_factor(probability: float, sigma: float) -> float:
    """Quantile of the body over its median."""
    return math.exp(sigma * NormalDist().inv_cdf(probability))
