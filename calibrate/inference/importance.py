"""Weighted draws of a posterior from a simulator: population Monte Carlo, each wave proposed by those before it.

Every draw of every wave keeps its weight under the mixture of all proposals (adaptive multiple importance sampling,
Cornuet and others 2012), so that no simulation is lost. Normal scores of the priors are the coordinates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from pmtwin.calibrate.inference.priors import log_density

PRIOR_SHARE = 0.1
"""Of each later wave, drawn from the prior: no region is given up, and no weight is unbounded."""

LEAST_ANCESTORS = 1.0
"""Effective ancestors of a proposal, times the number of parameters: weights are tempered until so many take part."""


@dataclass(frozen=True)
class Mixture:
    """A proposal: the prior, and normal kernels around weighted ancestors.

    Args:
        centres: shape (ancestors, parameters). weights: shape (ancestors,), of sum 1.
        factor: Cholesky factor of the covariance of a kernel, shape (parameters, parameters).
        prior_share: probability of the prior; 1 if there are no ancestors.
    """

    centres: np.ndarray
    weights: np.ndarray
    factor: np.ndarray
    prior_share: float

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Scores, shape (count, parameters)."""
        size = self.factor.shape[0]
        drawn = rng.standard_normal((count, size))
        kernel = np.flatnonzero(rng.random(count) >= self.prior_share)
        chosen = rng.choice(len(self.weights), kernel.size, p=self.weights) if kernel.size else []
        drawn[kernel] = self.centres[chosen] + drawn[kernel] @ self.factor.T
        return drawn

    def log_density(self, scores: np.ndarray) -> np.ndarray:
        """At scores of shape (n, parameters), shape (n,)."""
        prior = log_density(scores)
        if self.prior_share >= 1.0:
            return prior
        inverse = np.linalg.inv(self.factor)
        points, centres = scores @ inverse.T, self.centres @ inverse.T
        square = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1) - 2.0 * points @ centres.T
        size = scores.shape[1]
        constant = 0.5 * size * math.log(2.0 * math.pi) + np.log(np.diag(self.factor)).sum()
        kernels = special.logsumexp(-0.5 * square, axis=1, b=self.weights) - constant
        return np.logaddexp(
            math.log(self.prior_share) + prior if self.prior_share else np.full(len(scores), -np.inf),
            math.log1p(-self.prior_share) + kernels,
        )


def from_prior(size: int) -> Mixture:
    """The proposal that is the prior."""
    return Mixture(np.zeros((0, size)), np.zeros(0), np.eye(size), 1.0)


def weights_of(
    scores: np.ndarray, log_likelihoods: np.ndarray, proposals: list[Mixture], counts: list[int]
) -> np.ndarray:
    """Log weights of all draws against the mixture of all proposals, shape (n,), not normalised."""
    shares = np.log(np.array(counts) / sum(counts))
    densities = [share + proposal.log_density(scores) for share, proposal in zip(shares, proposals, strict=True)]
    return log_likelihoods + log_density(scores) - special.logsumexp(densities, axis=0)


def normalised(log_weights: np.ndarray) -> np.ndarray:
    """Weights of sum 1."""
    return np.exp(log_weights - special.logsumexp(log_weights))


def effective_size(weights: np.ndarray) -> float:
    """Independent draws that weigh as much: 1 / sum of squares (Kong 1992)."""
    return float(1.0 / np.sum(weights**2))


def proposal_from(scores: np.ndarray, log_weights: np.ndarray, log_likelihoods: np.ndarray) -> tuple[Mixture, float]:
    """(proposal, temperature) of the next wave.

    The likelihood is raised to the greatest power up to 1 that leaves `LEAST_ANCESTORS` effective ancestors for each
    parameter: a first wave that met little would otherwise hand the next one to a single draw.
    """
    size = scores.shape[1]
    wanted = min(LEAST_ANCESTORS * size, 0.2 * len(scores))
    base = log_weights - log_likelihoods
    power = _power(base, log_likelihoods, wanted)
    weights = normalised(base + power * log_likelihoods)
    kept = np.flatnonzero(weights > 1e-6 * weights.max())
    centres, weights = scores[kept], weights[kept] / weights[kept].sum()
    middle = weights @ centres
    spread = (weights[:, None] * (centres - middle)).T @ (centres - middle)
    ancestors = effective_size(weights)
    shrink = ancestors / (ancestors + 2.0 * size)  # few ancestors say little of correlations
    spread = shrink * spread + (1.0 - shrink) * np.diag(np.diag(spread)) + 1e-4 * np.eye(size)
    width = (4.0 / ((size + 2.0) * ancestors)) ** (1.0 / (size + 4.0))
    return Mixture(centres, weights, width * np.linalg.cholesky(spread), PRIOR_SHARE), power


def _power(base: np.ndarray, log_likelihoods: np.ndarray, wanted: float) -> float:
    if effective_size(normalised(base + log_likelihoods)) >= wanted:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        enough = effective_size(normalised(base + middle * log_likelihoods)) >= wanted
        low, high = (middle, high) if enough else (low, middle)
    return low


def resample(weights: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Indices of equally weighted draws, shape (count,), in random order (systematic resampling)."""
    places = (rng.random() + np.arange(count)) / count
    found = np.minimum(np.searchsorted(np.cumsum(weights), places), len(weights) - 1)
    return rng.permutation(found)
