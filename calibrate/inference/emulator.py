"""Simulated quantities as smooth functions of the parameters: a quadratic trend and a Gaussian process on the residual.

All quantities share one process with a length scale for each parameter (Rasmussen and Williams 2006, chapters 2 and 5).
A simulation takes half a second, an evaluation of the emulator a microsecond; the emulator also averages out the noise
of simulations with few windows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize, special

RIDGE = 1.0
"""Prior precision of a coefficient of the trend, in standard deviations of the quantity."""

FITTED_ON = 250
"""Number of draws for the fit of the length scales; the process itself uses all draws."""

ROUNDS = 20
"""Iterations of that fit."""

BLOCK = 1000
"""Number of scores that are evaluated at once."""


@dataclass(frozen=True)
class Emulator:
    """Emulator of the quantities.

    Args:
        points: the draws as shares of the priors, shape (n, parameters). lengths: length scales, shape (parameters,).
        middle, scale: mean and standard deviation of each quantity, shape (quantities,).
        trend: coefficients, shape (features, quantities). weights: weights of the process, shape (n, quantities).
        error: standard deviation of the errors on left-out draws, shape (quantities,).
    """

    points: np.ndarray
    lengths: np.ndarray
    middle: np.ndarray
    scale: np.ndarray
    trend: np.ndarray
    weights: np.ndarray
    error: np.ndarray

    def predict(self, scores: np.ndarray) -> np.ndarray:
        """Quantities, shape (n, quantities), at normal scores of the priors, shape (n, parameters)."""
        parts = [self._predict(scores[k : k + BLOCK]) for k in range(0, len(scores), BLOCK)]
        return np.concatenate(parts)

    def _predict(self, scores: np.ndarray) -> np.ndarray:
        shares = special.ndtr(scores)
        standardised = features(shares) @ self.trend + kernel(shares, self.points, self.lengths) @ self.weights
        return self.middle + self.scale * standardised


def features(shares: np.ndarray) -> np.ndarray:
    """Features of the trend: 1, and each share and its square, centred; shape (n, 1 + 2 parameters)."""
    centred = 2.0 * shares - 1.0
    return np.concatenate([np.ones((len(shares), 1)), centred, centred**2 - 1.0 / 3.0], axis=1)


def kernel(left: np.ndarray, right: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Correlations of the process between points, shape (n, m): squared exponential."""
    a, b = left / lengths, right / lengths
    square = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
    return np.exp(-0.5 * np.maximum(square, 0.0))


def fit_emulator(scores: np.ndarray, quantities: np.ndarray, near: np.ndarray, seed: int) -> Emulator:
    """The emulator of simulated draws.

    Args:
        scores: shape (n, parameters). quantities: finite, shape (n, quantities).
        near: mask of the draws from which the error is estimated, shape (n,).
        seed: seed of the choice of draws for the fit of the length scales.
    """
    shares = special.ndtr(scores)
    middle, scale = quantities.mean(axis=0), np.maximum(quantities.std(axis=0), 1e-9)
    targets = (quantities - middle) / scale
    trend = _ridge(features(shares), targets)
    residual = targets - features(shares) @ trend
    lengths, signal, noise = _hyperparameters(shares, residual, seed)
    covariance = kernel(shares, shares, lengths) + (noise / signal) * np.eye(len(shares))
    inverse = linalg.inv(covariance, check_finite=False)
    weights = inverse @ residual
    errors = weights / np.diag(inverse)[:, None]  # of the prediction of each draw from the others
    error = np.sqrt(np.mean(errors[near] ** 2, axis=0))
    return Emulator(shares, lengths, middle, scale, trend, weights, scale * error)


def _ridge(columns: np.ndarray, targets: np.ndarray) -> np.ndarray:
    return np.linalg.solve(columns.T @ columns + RIDGE * np.eye(columns.shape[1]), columns.T @ targets)


def _hyperparameters(shares: np.ndarray, residual: np.ndarray, seed: int) -> tuple[np.ndarray, float, float]:
    """(length scales, variance of the process, variance of the noise) of greatest likelihood over all quantities."""
    chosen = np.random.default_rng(seed).permutation(len(shares))[:FITTED_ON]
    x, y = shares[chosen], residual[chosen]
    start = np.concatenate(
        [np.full(x.shape[1], np.log(1.5)), [np.log(0.5 * y.var() + 1e-6), np.log(0.5 * y.var() + 1e-6)]]
    )
    bounds = [(np.log(0.15), np.log(20.0))] * x.shape[1] + [(-12.0, 3.0)] * 2
    best = optimize.minimize(
        _cost, start, (x, y), jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": ROUNDS}
    )
    return np.exp(best.x[:-2]), float(np.exp(best.x[-2])), float(np.exp(best.x[-1]))


def _cost(logs: np.ndarray, x: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """(mean negative log likelihood over the quantities, its gradient)."""
    lengths, signal, noise = np.exp(logs[:-2]), np.exp(logs[-2]), np.exp(logs[-1])
    process = signal * kernel(x, x, lengths)
    factor = linalg.cho_factor(process + (noise + 1e-8) * np.eye(len(x)), lower=True)
    solved = linalg.cho_solve(factor, y)
    cost = 0.5 * np.mean(np.sum(y * solved, axis=0)) + np.log(np.diag(factor[0])).sum()
    outer = linalg.cho_solve(factor, np.eye(len(x))) - solved @ solved.T / y.shape[1]
    gradient = np.empty(len(logs))
    for k, length in enumerate(lengths):
        distance = (x[:, k][:, None] - x[:, k]) ** 2 / length**2
        gradient[k] = 0.5 * np.sum(outer * process * distance)
    gradient[-2] = 0.5 * np.sum(outer * process)
    gradient[-1] = 0.5 * noise * np.trace(outer)
    return float(cost), gradient
