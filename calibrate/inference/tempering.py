"""Equally weighted draws of a posterior whose likelihood is cheap: sequential Monte Carlo from the prior.

The likelihood is raised step by step to its full power; after each step the particles are resampled and moved by random
walks that leave the distribution as it is (Del Moral, Doucet and Jasra 2006).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

KEPT = 0.5
"""Effective size of the particles, over their number, to which a step of the power may reduce them."""

MOVES = 5
PARTICLES = 1200


def posterior_particles(
    log_likelihood: Callable[[np.ndarray], np.ndarray],
    size: int,
    seed: np.random.SeedSequence,
    power: float = 1.0,
    particles: int = PARTICLES,
) -> np.ndarray:
    """Scores, shape (particles, size).

    Args:
        log_likelihood: of scores of shape (n, size); the prior is standard normal.
        power: to which the likelihood is raised in the end.
    """
    rng = np.random.default_rng(seed)
    scores = rng.standard_normal((particles, size))
    logs = log_likelihood(scores)
    reached, width = 0.0, 2.38 / np.sqrt(size)
    while reached < power:
        step = max(greatest_power(logs, power - reached, KEPT * particles), 1e-6)
        reached += step
        weights = np.exp(step * (logs - logs.max()))
        chosen = resample(weights / weights.sum(), particles, rng)
        scores, logs = scores[chosen], logs[chosen]
        factor = np.linalg.cholesky(np.cov(scores.T).reshape(size, size) + 1e-6 * np.eye(size))
        for _ in range(MOVES):
            moved = scores + width * rng.standard_normal(scores.shape) @ factor.T
            moved_logs = log_likelihood(moved)
            ratio = reached * (moved_logs - logs) + 0.5 * ((scores**2).sum(axis=1) - (moved**2).sum(axis=1))
            taken = np.log(rng.random(particles)) < ratio
            scores[taken], logs[taken] = moved[taken], moved_logs[taken]
            width *= np.exp(taken.mean() - 0.25)
    return scores


def greatest_power(logs: np.ndarray, most: float, least_effective: float) -> float:
    """The greatest power up to `most` of weights with these logarithms that keeps so great an effective size."""
    if _effective(most * logs) >= least_effective:
        return most
    low, high = 0.0, most
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _effective(middle * logs) >= least_effective else (low, middle)
    return low


def _effective(logs: np.ndarray) -> float:
    weights = np.exp(logs - logs.max())
    return weights.sum() ** 2 / (weights**2).sum()


def resample(weights: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Indices of equally weighted draws, shape (count,), in random order (systematic resampling)."""
    places = (rng.random() + np.arange(count)) / count
    return rng.permutation(np.minimum(np.searchsorted(np.cumsum(weights), places), len(weights) - 1))
