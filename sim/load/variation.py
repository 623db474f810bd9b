"""Rates that vary at random from window to window: a modulated arrival process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import check_range
from pmtwin.sim.load.part import Factors, LoadPart

MOST_SIGMA = 2.0
MOST_PERSISTENCE = 0.999


@dataclass(frozen=True)
class RateVariation(LoadPart):
    """Log-normal factors on the rates with mean 1, whose logarithms are first-order autoregressive.

    Args:
        sigma: standard deviation of the logarithm of each class's rate.
        correlation: of both logarithms in one window.
        persistence: correlation of a logarithm with that of the next window.

    Raises:
        InputError: a value out of range.
    """

    sigma: tuple[float, float]
    correlation: float = 0.0
    persistence: float = 0.0

    def __post_init__(self):
        for sigma in self.sigma:
            check_range("rate_sigma", sigma, 0.0, MOST_SIGMA)
        check_range("rate_correlation", self.correlation, -1.0, 1.0)
        check_range("rate_persistence", self.persistence, 0.0, MOST_PERSISTENCE)

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        sigma, fresh = np.asarray(self.sigma), np.sqrt(1.0 - self.persistence**2)
        level = self._normals(generator)
        while True:
            yield Factors(rate=tuple(np.exp(sigma * level - 0.5 * sigma**2).tolist()))
            level = self.persistence * level + fresh * self._normals(generator)

    def _normals(self, generator: np.random.Generator) -> np.ndarray:
        first, second = generator.standard_normal(2)
        return np.array([first, self.correlation * first + np.sqrt(1.0 - self.correlation**2) * second])
