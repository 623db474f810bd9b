"""Rates that vary at random from window to window: a modulated arrival process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import check_range
from pmtwin.sim.load.part import CLASS_COUNT, Factors, LoadPart

MOST_SIGMA = 2.0
MOST_PERSISTENCE = 0.999

BLOCK = 64
"""Windows for which the factors are drawn at once."""


@dataclass(frozen=True)
class RateVariation(LoadPart):
    """Log-normal factors on the rates with mean 1, whose logarithms are first-order autoregressive.

    Args:
        sigma: standard deviation of the logarithm of each class's rate.
        correlation: correlation between the logarithms of both classes in a window.
        persistence: correlation between the logarithms of two successive windows.

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

    @property
    def is_random(self) -> bool:
        return any(self.sigma)

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        innovation = math.sqrt(1.0 - self.persistence**2)
        independent = math.sqrt(1.0 - self.correlation**2)
        sigma = np.asarray(self.sigma)
        level: Sequence[float] | None = None
        while True:  # a block at once, for speed: with many systems, this is called more often than anything else
            levels = np.empty((BLOCK, CLASS_COUNT))
            for row, (first, second) in enumerate(generator.standard_normal((BLOCK, CLASS_COUNT)).tolist()):
                drawn = (first, self.correlation * first + independent * second)
                if level is None:
                    level = drawn
                else:
                    level = [self.persistence * a + innovation * b for a, b in zip(level, drawn, strict=True)]
                levels[row] = level
            for rate in np.exp(sigma * levels - 0.5 * sigma**2).tolist():
                yield Factors(rate=tuple(rate))
