"""Shapes of a changing load: bursts, ramps and drifts. Lengths are numbers of windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError, check_range, unknown_name
from pmtwin.sim.load.part import Factors, LoadPart, check_classes, only

MOST_WINDOWS = 10**6
FACTORS = 0.01, 100.0
MOST_LEVELS = 32


@dataclass(frozen=True)
class Burst(LoadPart):
    """A higher, or lower, rate during a part of each period; the start of the first period is drawn.

    Args:
        every: length of a period, in windows.
        length: length of the burst, in windows.
        factor: on the rate during the burst.
        classes: numbers of the classes that burst.

    Raises:
        InputError: a value out of range.
    """

    every: int
    length: int
    factor: float
    classes: tuple[int, ...] = (0, 1)

    def __post_init__(self):
        _check_count("every", self.every, 1, MOST_WINDOWS, "windows")
        _check_count("length", self.length, 1, self.every, "windows")
        check_range("factor", self.factor, *FACTORS)
        check_classes(self.classes)

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        place = int(generator.integers(self.every))
        burst, calm = Factors(rate=only(self.classes, self.factor)), Factors()
        while True:
            yield burst if place < self.length else calm
            place = (place + 1) % self.every


@dataclass(frozen=True)
class Ramp(LoadPart):
    """A rate that changes steadily from one factor to another, and stays there.

    Args:
        first, last: factors on the rate at the beginning and at the end.
        length: windows from the first factor to the last.
        classes: numbers of the classes that change.

    Raises:
        InputError: a value out of range.
    """

    first: float
    last: float
    length: int
    classes: tuple[int, ...] = (0, 1)

    def __post_init__(self):
        check_range("first", self.first, *FACTORS)
        check_range("last", self.last, *FACTORS)
        _check_count("length", self.length, 1, MOST_WINDOWS, "windows")
        check_classes(self.classes)

    @property
    def is_random(self) -> bool:
        return False

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        for window in range(self.length):
            factor = self.first + (self.last - self.first) * window / self.length
            yield Factors(rate=only(self.classes, factor))
        while True:
            yield Factors(rate=only(self.classes, self.last))


@dataclass(frozen=True)
class Drift(LoadPart):
    """The mix, the sizes, the clients or the rates of a workload change to another level and back, in steps.

    The start within the first period is drawn.

    Args:
        what: the field of `Factors` that changes: `write_ratio`, `size`, `clients` or `rate`.
        to: factor at the other end; 1 at the first.
        every: length of a period, there and back, in windows.
        levels: steps from one end to the other; each needs a model, so few are better.
        classes: numbers of the classes that change.

    Raises:
        InputError: a value out of range.
    """

    what: str
    to: float
    every: int
    levels: int = 8
    classes: tuple[int, ...] = (0, 1)

    def __post_init__(self):
        if self.what not in Factors._fields:
            raise unknown_name("what", self.what, Factors._fields)
        check_range("to", self.to, *FACTORS)
        _check_count("every", self.every, 2, MOST_WINDOWS, "windows")
        _check_count("levels", self.levels, 1, MOST_LEVELS, "levels")
        check_classes(self.classes)

    @property
    def rates_alone(self) -> bool:
        return self.what == "rate"

    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        place = int(generator.integers(self.every))
        while True:
            way = 0.5 - 0.5 * math.cos(2.0 * math.pi * place / self.every)
            factor = 1.0 + (self.to - 1.0) * round(way * self.levels) / self.levels
            yield Factors(**{self.what: only(self.classes, factor)})
            place = (place + 1) % self.every


def _check_count(name: str, value: float, low: int, high: int, unit: str) -> None:
    check_range(name, value, low, high, unit)
    if int(value) != value:
        raise InputError(name, value, f"a whole number of {unit}")
