"""Declaration of a station: a name, the classes of requests that visit it, and its behaviour.

A station is a declaration that both engines read. Engine `simpy` gets a process from it (`process`); engine `compiled`
reads one of the behaviours below and its numbers. A new kind of station that is a case of a behaviour (as
`Processors` is of sharing) is one new file; a new behaviour is a new file and a branch in
`pmtwin.sim.engines.network_kernel`, since numba compiles no table of functions.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from pmtwin.sim.errors import InputError, check_range

ARRIVALS, CLIENTS, QUEUE, SERVERS, SHARING, ROUTER = range(6)
"""Behaviours in the kernel: one for each file that has compiled functions."""

UNLIMITED = 1 << 60

MOST_SPEEDS = 1024
"""Longest table of speeds: more hardware threads than any host of today has."""

Times = float | tuple[float, ...]
"""One number for all classes that visit the station, or one for each, in the order of the network's classes."""


@dataclass(frozen=True, kw_only=True)
class Station:
    """Base of all stations.

    Args:
        name: how `set` and the results call it.
        classes: names of the classes that visit it; none means all of them.

    A class without a `behaviour` runs in an event loop of its own only, as the middleware's do.
    """

    behaviour: ClassVar[int | None] = None
    source: ClassVar[bool] = False

    name: str = field(kw_only=False)
    classes: tuple[str, ...] = ()

    def drawn(self, visitor: int) -> tuple[float, float] | None:
        """(mean in ns, coefficient of variation) of the time that the station draws for a request, if it draws any.

        Args:
            visitor: place of the request's class among the classes that visit the station.
        """
        return None

    def limit(self) -> int:
        """Servers, room of a queue, clients: whatever the behaviour counts against."""
        return UNLIMITED

    def speeds(self) -> tuple[float, ...]:
        """Work per ns of all requests together, with 1, 2, ... of them; the last holds for more."""
        return ()

    def process(self, env, draw, priority: int) -> Process:
        """The station in engine `simpy`.

        Args:
            env: `pmtwin.sim.stations.timers.AbsoluteEnvironment`.
            draw: `draw(class, index)` gives the time in ns that the station draws for a request.
            priority: order of what ends here among all that ends at the same instant.
        """
        raise NotImplementedError  # each kind of station runs its requests by its own process

    def check_whole(self, field_name: str, low: int, high: float = math.inf) -> None:
        value = getattr(self, field_name)
        self.check(field_name, low, high)
        if value != math.inf and int(value) != value:
            raise InputError(f"{self.name}: {field_name}", value, "a whole number")

    def check(self, field_name: str, low: float, high: float = math.inf, unit: str = "") -> None:
        """`InputError` unless the field, or each of its values, lies in the range."""
        value = getattr(self, field_name)
        for each in value if isinstance(value, Sequence) else (value,):
            check_range(f"{self.name}: {field_name}", each, low, high, unit)


Declared = TypeVar("Declared", bound=Station, contravariant=True)


class Process(Generic[Declared]):
    """A station in engine `simpy`; one that requests visit has a generator `visit(request)` besides.

    Attributes:
        waiting: requests that wait. busy: servers in use, requests at a shared station, clients of a source.
    """

    visit: Callable[[Any], Iterator[Any]]
    waiting: Sized = ()
    busy = 0

    def open_window(self) -> None:
        """A window begins: declarations made since the last one take effect."""

    def set(self, declaration: Declared) -> None:
        """Go on under another declaration."""


class Source(Process[Declared], ABC):
    """Where requests come from."""

    @abstractmethod
    def run(self, c: int, submit: Callable[[int], bool]) -> Generator[Any, Any, Any]:
        """Submit requests of class c as long as the network takes any."""

    @abstractmethod
    def answered(self, c: int, index: int) -> None:
        """Request `index` of the class has its answer."""


def class_value(values: Times, visitor: int) -> float:
    """The value for a class; see `Times`."""
    return values[visitor] if isinstance(values, tuple) else values
