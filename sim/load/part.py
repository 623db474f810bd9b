"""A part of a changing load: factors on the offered load, window by window."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import InputError

CLASS_COUNT = 2


class Factors(NamedTuple):
    """Factors on both classes of a workload, in the order of `pmtwin.sim.load.workload.CLASSES`.

    Fields:
        rate: on the offered rate; without effect on a class in closed loop.
        write_ratio: on the share of writes, which stays within 0 to 1.
        size: on the value sizes.
        clients: on the number of client threads, which is rounded.
    """

    rate: tuple[float, float] = (1.0, 1.0)
    write_ratio: tuple[float, float] = (1.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)
    clients: tuple[float, float] = (1.0, 1.0)

    def times(self, other: Factors) -> Factors:
        """The product of two changes."""
        return Factors(*((a[0] * b[0], a[1] * b[1]) for a, b in zip(self, other, strict=True)))


NO_CHANGE = Factors()


class LoadPart(ABC):
    """A change of the load over time, as a frozen dataclass."""

    @property
    def rates_alone(self) -> bool:
        """Whether only offered rates change."""
        return True

    @property
    def is_random(self) -> bool:
        """Whether another seed gives other factors."""
        return True

    @abstractmethod
    def windows(self, generator: np.random.Generator) -> Iterator[Factors]:
        """The factors of each window, without end; all random numbers come from `generator`."""


def check_classes(classes: object) -> None:
    """Raise `InputError` unless `classes` is a tuple of class numbers, 0 or 1."""
    if not (isinstance(classes, tuple) and classes and set(classes) <= set(range(CLASS_COUNT))):
        raise InputError("classes", classes, "(0,), (1,) or (0, 1): the classes of the workload that change")


def only(classes: tuple[int, ...], factor: float) -> tuple[float, float]:
    """(interactive, batch) factors: `factor` for the given classes, 1 for the others."""
    interactive, batch = (factor if c in classes else 1.0 for c in range(CLASS_COUNT))
    return interactive, batch
