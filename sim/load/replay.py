"""The rates of a recorded trace, window by window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError, check_range
from pmtwin.sim.load.part import CLASS_COUNT, Factors, LoadPart

LEAST_FACTOR = 0.01
"""Smallest factor; it stands for a window in which a class sends nothing, since no rate is 0."""


@dataclass(frozen=True)
class Replay(LoadPart):
    """Rates in the order of a recording, which is repeated endlessly.

    Args:
        rates: factors on the rate of both classes, a pair for each window.

    Raises:
        InputError: no windows, or a factor below `LEAST_FACTOR` or above 1e9.
    """

    rates: tuple[tuple[float, float], ...]

    def __post_init__(self):
        if not self.rates:
            raise InputError("rates", 0, "factors of at least one window")
        for pair in self.rates:
            if len(pair) != CLASS_COUNT:
                raise InputError("rates", pair, "a factor for each class")
            for factor in pair:
                check_range("rates", factor, LEAST_FACTOR, 1e9)

    @property
    def is_random(self) -> bool:
        return False

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        while True:
            for pair in self.rates:
                yield Factors(rate=pair)
