"""The distribution of the latency of a single access: a narrow body, wear-levelling stalls, and rarer, shorter stalls.

FAST'20, section 3.3 and figures 2 and 3. One object for quantiles, probabilities and draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from sim.device.tail import Tail

BISECTIONS = 32
"""They halve the longest stall down to a hundredth of a nanosecond."""

NEGLIGIBLE = 1e-4
"""Stalls rarer than this share of a quantile's tail do not move it."""


@dataclass(frozen=True)
class AccessLatency:
    """Latency of accesses of one kind; arrays broadcast against each other.

    Args:
        mean_ns: of the body, shape (n,) or a number.
        tail: spread of the body and kinds of stalls.
        lines: media lines that an access writes (0 for reads, which do not stall).
        region_bytes: size of the block that is written again and again; infinite without a hot spot.
    """

    mean_ns: np.ndarray | float
    tail: Tail
    lines: np.ndarray | float = 0.0
    region_bytes: float = math.inf

    @property
    def stall_probability(self) -> np.ndarray:
        """That an access meets a wear-levelling stall."""
        per_line = self.tail.stall_probability_in(self.region_bytes)
        return -np.expm1(np.asarray(self.lines, dtype=float) * math.log1p(-per_line))

    @property
    def rare_stall_probability(self) -> np.ndarray:
        """That an access meets one of the rarer stalls."""
        return -np.expm1(np.asarray(self.lines, dtype=float) * math.log1p(-self.tail.rare_stall_probability))

    def exceedance(self, latency_ns: np.ndarray) -> np.ndarray:
        """Probability that an access takes longer than this."""
        t = np.asarray(latency_ns, dtype=float)
        body = self._body_exceedance(t)
        wear = _normal_exceedance((t - self._median_ns() - self.tail.stall_ns) / max(self.tail.stall_sd_ns, 1e-9))
        low, high = self.tail.rare_stall_low_ns, self.tail.rare_stall_high_ns
        rare = np.clip((high + self._median_ns() - t) / max(high - low, 1e-9), 0.0, 1.0)
        p, r = self.stall_probability, self.rare_stall_probability
        return (1.0 - p - r) * body + p * np.maximum(wear, body) + r * np.maximum(rare, body)

    def quantile(self, probability: float) -> np.ndarray:
        """Latency in ns that a share `probability` (0 to 1, both exclusive) of the accesses does not exceed."""
        mean, p, r = np.broadcast_arrays(self.mean_ns, self.stall_probability, self.rare_stall_probability)
        found = self._median_ns() * _body_factor(probability, self.tail.write_body_sigma) + np.zeros(mean.shape)
        stalls = p + r > NEGLIGIBLE * (1.0 - probability)
        if np.any(stalls):
            part = AccessLatency(mean[stalls], self.tail, np.broadcast_to(self.lines, mean.shape)[stalls])
            part = replace(part, region_bytes=self.region_bytes)
            found = np.array(found)
            found[stalls] = part._bisected(probability, found[stalls])
        return found

    def _bisected(self, probability: float, low: np.ndarray) -> np.ndarray:
        longest = max(self.tail.stall_ns + 8.0 * self.tail.stall_sd_ns, self.tail.rare_stall_high_ns)
        high = low + longest
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            beyond = self.exceedance(middle) > 1.0 - probability
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        return 0.5 * (low + high)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """`n` latencies in ns; of one kind of access (`mean_ns` and `lines` are numbers)."""
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
