"""What a hybrid storage in operation takes and tells, on either engine."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np


class Reading(NamedTuple):
    """A storage with D devices now.

    Fields:
        now_ns: time. answered: requests. counts: by the names of `COUNTS`.
        used, written, read: shape (D,), int64: pages on each device and on their way to it; bytes that were
            transferred. busy_ns: shape (D,), time with requests at each device.
    """

    now_ns: float
    answered: int
    counts: dict[str, int]
    used: np.ndarray
    written: np.ndarray
    read: np.ndarray
    busy_ns: np.ndarray


class Deciders(NamedTuple):
    """The policies of a run, as they made their states.

    Fields:
        place: of writes. migrate: of pages. tells: whether they are told of answers. moves: whether pages move in the
            background. every: requests after which pages move at once, before the next request; 0: never.
    """

    place: Any
    migrate: Any
    tells: bool = True
    moves: bool = True
    every: int = 0


class Run(Protocol):
    """A storage in operation."""

    def advance(self, until: int) -> None:
        """Run until so many requests are answered, counted from the start."""

    def reading(self) -> Reading:
        """The counters now."""

    def set_knobs(self, setting: tuple[int, ...]) -> None:
        """Change the setting that migration policies are told."""

    def last(self) -> tuple[np.ndarray, np.ndarray]:
        """(latencies in ns, rows of the stream) of the window's last answers, in their order."""

    def device_of(self) -> np.ndarray:
        """Shape (P,), int8: device of each page."""


def last_of(latency_ns: np.ndarray, rows: np.ndarray, answered: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of a ring of the last answers, in their order."""
    kept = min(answered, latency_ns.size)
    places = np.arange(answered - kept, answered) % latency_ns.size
    return latency_ns[places], rows[places]
