"""The interface of all engines, for `pmtwin.scenarios.nvm_middleware.model.middleware.Middleware`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.sim.engines.copying import Copying
from pmtwin.sim.errors import InputError


class WindowResult(NamedTuple):
    """The requests of a window, in completion order.

    Fields:
        latency_ns: shape (n,), from submission to completion.
        classes: shape (n,), uint8, 0 interactive, 1 batch.
        start_ns, end_ns: limits of the window, which ends with its last completion.
        waited_ns: shape (2,), total time that requests of each class spent in queue within the window: the integral of
            the queue's length.
    """

    latency_ns: np.ndarray
    classes: np.ndarray
    start_ns: float
    end_ns: float
    waited_ns: np.ndarray


class Observed(NamedTuple):
    """Measures of a window by the real system's monitor.

    Fields:
        counted: mean number of requests in the system, as the system counts them.
        stamped: the same mean from the clients' timestamps; equal to `counted` if Little's law holds.
        validity_warning: reason not to trust the window; empty if there is none.
        state: observation of Table 3.2.
        p99_us: 99th percentile of the first class's latency, from the monitor's histogram.
    """

    counted: float
    stamped: float
    validity_warning: str
    state: tuple[float, ...]
    p99_us: float


class Engine(Copying, ABC):
    """A run of a model. Time continues from window to window; requests in flight are carried over."""

    name: str

    observed: Observed | None = None
    """Measures of the last window by a real system's monitor; None for a simulation."""

    @abstractmethod
    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        """A run of `model` at time zero; `keys`: shape (2,), uint64, the random key of each class."""

    @abstractmethod
    def resize(self, pools: tuple[int, int]) -> None:
        """Set the sizes of both pools; surplus workers leave when their request is done."""

    @abstractmethod
    def set_model(self, model: Model) -> None:
        """Continue with another model (a phase change): new clients join, surplus ones leave as soon as they are idle.

        The kinds of operation of the new model must include those of the old one, which may be in flight.
        """

    @abstractmethod
    def set_pace(self, pace: tuple[float, float]) -> None:
        """Set the factor on each class's offered rate, from the next gap of the trace on."""

    def copy(self) -> Engine:
        """An independent engine in the same state, which will draw the same random numbers.

        Raises:
            InputError: if the engine's state cannot be copied.
        """
        raise InputError("engine", self.name, "compiled: the state of no other can be copied")

    @abstractmethod
    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        """Release requests of the trace, (interactive, batch), and run to exactly `completions` completions.

        A class is never released more than `pmtwin.scenarios.nvm_middleware.model.pools.WITHOUT_END` requests ahead.
        """

    @abstractmethod
    def outstanding(self) -> np.ndarray:
        """Shape (2,): requests submitted and not yet answered."""

    @abstractmethod
    def unreleased(self) -> np.ndarray:
        """Shape (2,): requests released and not yet submitted; 0 for a class in closed loop."""
