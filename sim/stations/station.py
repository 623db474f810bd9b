"""Declaration of a station: a name, the classes of requests that visit it, and its behaviour.

Both engines read the declaration. Engine `simpy` gets a process from it (`process`); engine `compiled` reads the number
of its behaviour and its parameters. A new kind of station with an existing behaviour (as `Processors` has that of
sharing) is one new file. A new behaviour is a new file, and branches in `pmtwin.sim.engines.network_kernel`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from pmtwin.sim.errors import InputError, check_range

if TYPE_CHECKING:
    from pmtwin.sim.stations.absolute_time import AbsoluteEnvironment

ARRIVALS, CLIENTS, QUEUE, SERVERS, SHARING, ROUTER = range(6)
"""Numbers of the behaviours in engine `compiled`."""

UNLIMITED = 1 << 60
"""Stands for infinity in whole numbers."""

MOST_SPEEDS = 1024
"""Longest table of speeds: more hardware threads than any host has today."""

Draw = Callable[[int, int], float]
"""`draw(class, index)`: the time in ns that a station draws for a request."""

Times = float | tuple[float, ...]
"""One number for all classes that visit a station, or one for each of them, in the order of the network's classes."""


@dataclass(frozen=True, kw_only=True)
class Station:
    """Base of all stations.

    Args:
        name: name of the station in `set` and in results.
        classes: names of the request classes that visit the station; empty: all classes.

    A kind of station without `behaviour` runs in a system's own engine only, like the processors of the middleware.
    """

    behaviour: ClassVar[int | None] = None
    source: ClassVar[bool] = False

    name: str = field(kw_only=False)
    classes: tuple[str, ...] = ()

    def drawn(self, visitor: int) -> tuple[float, float] | None:
        """(mean in ns, coefficient of variation) of the time that the station draws for a request; None: it draws none.

        Args:
            visitor: place of the request's class among the classes that visit the station.
        """
        return None

    def limit(self) -> int:
        """Number of servers, capacity of a queue, or number of clients."""
        return UNLIMITED

    def speeds(self) -> tuple[float, ...]:
        """Work done per ns by all requests together, with 1, 2, ... of them; the last value holds for more."""
        return ()

    def process(self, env: AbsoluteEnvironment, draw: Draw, priority: int) -> Process:
        """The station's process in engine `simpy`.

        Args:
            env: SimPy's environment with absolute times.
            draw: times of the station's requests.
            priority: priority of the station's events among those of the same instant; smaller ones are first.
        """
        raise NotImplementedError  # each kind of station runs its requests by its own process

    def check_whole(self, field_name: str, low: int, high: float = math.inf) -> None:
        """Check that the field is a whole number in the range, or infinite where the range allows it.

        Raises:
            InputError: it is not.
        """
        value = getattr(self, field_name)
        self.check(field_name, low, high)
        if value != math.inf and int(value) != value:
            raise InputError(f"{self.name}: {field_name}", value, "a whole number")

    def check(self, field_name: str, low: float, high: float = math.inf, unit: str = "") -> None:
        """Check that the field, or each of its values, lies in the range.

        Raises:
            InputError: it does not.
        """
        values = getattr(self, field_name)
        for value in values if isinstance(values, Sequence) else (values,):
            check_range(f"{self.name}: {field_name}", value, low, high, unit)


Declared = TypeVar("Declared", bound=Station, contravariant=True)


class Visitor(Protocol):
    """A request in engine `simpy`.

    Attributes:
        c, index: its class, and its number within the class.
        rejected: whether a station had no room for it.
    """

    c: int
    index: int
    rejected: bool


class Process(Generic[Declared]):
    """A station in engine `simpy`.

    Attributes:
        visit: generator function of a request's visit; sources have none.
        waiting: requests that wait. busy: servers in use, requests at a shared station, or clients of a source.
    """

    visit: Callable[[Any], Iterator[Any]]
    waiting: Sized = ()
    busy = 0

    def open_window(self) -> None:
        """Begin a window: declarations made since the last one take effect, and sums over the window start at zero."""

    def set(self, declaration: Declared) -> None:
        """Continue with another declaration."""


class Source(Process[Declared], ABC):
    """A source of requests."""

    @abstractmethod
    def run(self, c: int, submit: Callable[[int], bool]) -> Generator[Any, Any, Any]:
        """Process: submit requests of class c until `submit(c)` returns False."""

    @abstractmethod
    def answered(self, c: int, index: int) -> None:
        """Request `index` of class c was answered or rejected."""


def class_value(values: Times, visitor: int) -> float:
    """The value for the class at place `visitor` among those that visit the station."""
    return values[visitor] if isinstance(values, tuple) else values
