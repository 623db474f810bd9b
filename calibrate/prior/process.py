"""Gaussian process of a device of the family: covariance between configurations, and the posterior after measurements.

Rasmussen and Williams, "Gaussian Processes for Machine Learning", sections 2.2 (prediction), 5.4.1 (evidence) and 5.4.2
(leave-one-out). The scales are those under which the shipped devices, each given the others, are most likely, with a
weak prior on the scales (`studies/prior.py`). How unlike the family a device is, a factor on the deviations that no
shipped device shows, follows from the device's own measurements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pmtwin.calibrate.prior.family import Points

SCALES = {
    "members": 0.72,
    "others": 0.18,
    "media_all": 0.1,
    "media_direction": 0.087,
    "media_operation": 0.137,
    "media_pattern": 0.033,
    "issue_all": 0.22,
    "issue_direction": 0.08,
    "issue_operation": 0.063,
    "issue_pattern": 0.021,
    "smooth_operation": 0.25,
    "smooth_all": 0.23,
    "short": 0.079,
    "single": 0.28,
    "noise": 0.033,
    "size_octaves": 12.2,
    "thread_octaves": 3.8,
    "short_size_octaves": 2.2,
    "short_thread_octaves": 8.8,
    "dimm_octaves": 3.0,
}
"""Standard deviations of log bandwidth, and length scales in octaves."""

UNLIKE = (0.2, 0.35, 0.6, 1.0, 1.6, 2.5)
"""Factors on the deviations that no device of the family shows, equally likely before any measurement."""

LOAD = 0
"""Index of the read operation, `load`."""


def _matern(distance: np.ndarray) -> np.ndarray:
    """Matern covariance, nu = 3/2, of a distance in units of the length scale."""
    scaled = np.sqrt(3.0) * distance
    return (1.0 + scaled) * np.exp(-scaled)


def covariance(a: Points, b: Points, unlike: float, scales: dict[str, float] = SCALES) -> np.ndarray:
    """Covariance of log bandwidth between points, without noise, shape (len(a), len(b)).

    Args:
        unlike: factor on the deviations that no device of the family shows.
    """
    square = {name: value**2 for name, value in scales.items()}
    operation = (a.operation[:, None] == b.operation[None, :]).astype(float)
    pattern = operation * (a.pattern[:, None] == b.pattern[None, :])
    direction = ((a.operation == LOAD)[:, None] == (b.operation == LOAD)[None, :]).astype(float)
    total = square["members"] * a.members.T @ b.members + square["others"] * a.others.T @ b.others
    for bound, left, right in (("media", a.media, b.media), ("issue", 1.0 - a.media, 1.0 - b.media)):
        levels = square[f"{bound}_all"] + square[f"{bound}_direction"] * direction
        levels = levels + square[f"{bound}_operation"] * operation + square[f"{bound}_pattern"] * pattern
        total += np.outer(left, right) * levels
    size, threads = a.size[:, None] - b.size[None, :], a.threads[:, None] - b.threads[None, :]
    dimms = (a.dimms[:, None] - b.dimms[None, :]) / scales["dimm_octaves"]
    wide = _matern(np.sqrt((size / scales["size_octaves"]) ** 2 + (threads / scales["thread_octaves"]) ** 2 + dimms**2))
    near = (size / scales["short_size_octaves"]) ** 2 + (threads / scales["short_thread_octaves"]) ** 2
    specific = wide * (square["smooth_all"] + square["smooth_operation"] * 0.5 * (operation + pattern))
    specific += square["short"] * pattern * _matern(np.sqrt(near + dimms**2))
    return total + unlike**2 * specific + square["single"] * pattern * np.outer(a.single, b.single)


def variance_of(points: Points, unlike: float, scales: dict[str, float] = SCALES) -> np.ndarray:
    """The diagonal of `covariance(points, points)`, shape (len(points),)."""
    square = {name: value**2 for name, value in scales.items()}
    levels = ("all", "direction", "operation", "pattern")
    media, issue = (sum(square[f"{bound}_{level}"] for level in levels) for bound in ("media", "issue"))
    total = square["members"] * np.sum(points.members**2, axis=0) + square["others"] * np.sum(points.others**2, axis=0)
    total += media * points.media**2 + issue * (1.0 - points.media) ** 2
    total += unlike**2 * (square["smooth_all"] + square["smooth_operation"] + square["short"])
    return total + square["single"] * points.single**2


@dataclass(frozen=True)
class Known:
    """Knowledge of a device: log bandwidths at points, shape (n,) each.

    Args:
        extra_sd: standard deviation of each value in addition to the noise; above 0 for values derived from a peak or
            a latency.
        evidence: whether a value counts in the likelihood that weighs the components of the mixture. A peak, which the
            family's shape spreads over several points, counts at one of them. None: all values count.
    """

    points: Points
    log_bandwidth: np.ndarray
    extra_sd: np.ndarray
    evidence: np.ndarray | None = None


@dataclass(frozen=True)
class _Fit:
    """A component of the mixture, conditioned on the known bandwidths."""

    known: Known
    unlike: float
    scales: dict[str, float]
    inverse: np.ndarray = field(init=False, repr=False, compare=False)
    weights: np.ndarray = field(init=False, repr=False, compare=False)
    log_likelihood: float = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        noise = self.scales["noise"] ** 2 + self.known.extra_sd**2
        matrix = covariance(self.known.points, self.known.points, self.unlike, self.scales) + np.diag(noise)
        inverse = np.linalg.inv(matrix)
        miss = self.known.log_bandwidth - self.known.points.mean
        object.__setattr__(self, "inverse", inverse)
        object.__setattr__(self, "weights", inverse @ miss)
        telling = slice(None) if self.known.evidence is None else np.flatnonzero(self.known.evidence)
        part, part_miss = matrix[telling][:, telling], miss[telling]
        log_likelihood = -0.5 * (part_miss @ np.linalg.solve(part, part_miss) + np.linalg.slogdet(part)[1])
        object.__setattr__(self, "log_likelihood", float(log_likelihood))

    def joint(self, points: Points) -> tuple[np.ndarray, np.ndarray]:
        """(mean, covariance without noise) of log bandwidth, shapes (m,) and (m, m) for m points."""
        cross = covariance(points, self.known.points, self.unlike, self.scales)
        left = covariance(points, points, self.unlike, self.scales) - cross @ self.inverse @ cross.T
        return points.mean + cross @ self.weights, left

    def predict(self, points: Points) -> tuple[np.ndarray, np.ndarray]:
        """(mean, variance with noise) of log bandwidth, shape (len(points),) each."""
        cross = covariance(points, self.known.points, self.unlike, self.scales)
        variance = (
            variance_of(points, self.unlike, self.scales)
            - np.einsum("ij,jk,ik->i", cross, self.inverse, cross)
            + self.scales["noise"] ** 2
        )
        return points.mean + cross @ self.weights, np.maximum(variance, 1e-8)

    def left_out(self) -> tuple[np.ndarray, np.ndarray]:
        """(mean, variance with noise) of each known log bandwidth, predicted from all the others."""
        variance = 1.0 / np.diag(self.inverse)
        return self.known.log_bandwidth - self.weights * variance, variance


class DevicePosterior:
    """A device of the family after measurements: a mixture over views of the family and factors of `unlike`.

    A view is a kind of memory, or a kind of memory and a habit of the benchmark (`pmtwin.calibrate.prior.habits`);
    `kind` stands for its name below. Components with a share below `LEAST_SHARE` are dropped.

    Args:
        known: kind -> knowledge of the device, seen from that kind.
        scales: standard deviations and length scales of the covariance.
        unlike: factors on the deviations that no device of the family shows.
        weights: kind -> relative probability before any measurement; None: all equal.

    Attributes:
        share: (kind, factor) -> its share of the mixture.
        log_evidence: log likelihood of the mixture, up to a constant.
    """

    LEAST_SHARE = 1e-3

    def __init__(
        self,
        known: dict[str, Known],
        scales: dict[str, float] = SCALES,
        unlike: Sequence[float] = UNLIKE,
        weights: Mapping[str, float] | None = None,
    ):
        fits = {(kind, factor): _Fit(member, factor, scales) for kind, member in known.items() for factor in unlike}
        weight = np.array([(weights or {}).get(kind, 1.0) for kind, _ in fits])
        logs = np.array([fit.log_likelihood for fit in fits.values()]) + np.log(weight / weight.sum())
        self.log_evidence = float(np.logaddexp.reduce(logs))
        shares = np.exp(logs - np.logaddexp.reduce(logs))
        kept = [(key, fit, share) for (key, fit), share in zip(fits.items(), shares, strict=True)]
        kept = [each for each in kept if each[2] >= self.LEAST_SHARE]
        total = sum(share for *_, share in kept)
        self._fits = {key: (fit, share / total) for key, fit, share in kept}
        self.share = {key: share for key, (_, share) in self._fits.items()}

    def predict(self, points: dict[str, Points]) -> tuple[np.ndarray, np.ndarray]:
        """(mean, standard deviation with noise) of log bandwidth; `points`: kind -> the same points seen from it."""
        return self._mixed([(fit.predict(points[kind]), share) for (kind, _), (fit, share) in self._fits.items()])

    def covariance(self, points: dict[str, Points]) -> np.ndarray:
        """Covariance of log bandwidth without noise, shape (points, points)."""
        mean, second = 0.0, 0.0
        for (kind, _), (fit, share) in self._fits.items():
            part, left = fit.joint(points[kind])
            mean = mean + share * part
            second = second + share * (left + np.outer(part, part))
        return second - np.outer(mean, mean)

    def left_out(self, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(mean, standard deviation with noise) of each known log bandwidth, predicted from all the others.

        Args:
            count: only the first `count` values, the measured configurations. The values after them, from peaks, can
                differ between kinds.
        """
        return self._mixed(
            [(tuple(each[:count] for each in fit.left_out()), share) for fit, share in self._fits.values()]
        )

    @staticmethod
    def _mixed(parts: list) -> tuple[np.ndarray, np.ndarray]:
        mean = sum(share * mean for (mean, _), share in parts)
        second = sum(share * (variance + mean_part**2) for (mean_part, variance), share in parts)
        return mean, np.sqrt(np.maximum(second - mean**2, 1e-8))
