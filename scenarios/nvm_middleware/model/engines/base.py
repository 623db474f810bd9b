"""The interface of every engine, for `pmtwin.scenarios.nvm_middleware.model.middleware.Middleware`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.model import Model
from pmtwin.sim.engines.copying import Copying
from pmtwin.sim.errors import InputError


class WindowResult(NamedTuple):
    """A window, request by request in completion order.

    Fields:
        latency_ns: shape (n,), from submission to completion.
        classes: shape (n,), uint8, 0 interactive, 1 batch.
        start_ns, end_ns: the window; it ends with its last completion.
        waited_ns: shape (2,), time that requests spent in queue within the window, summed: the integral over the
            window of how many wait.
    """

    latency_ns: np.ndarray
    classes: np.ndarray
    start_ns: float
    end_ns: float
    waited_ns: np.ndarray


class Observed(NamedTuple):
    """Measures of a window that a real system took itself.

    Fields:
        counted: requests in the system on average, by its own count.
        stamped: the same by the stamps of the clients; equal to it if Little's law holds.
        validity_warning: why the window should not be trusted; empty if it may be.
        state: observation (Table 3.2), by the system's own monitor.
        p99_us: of the first class, by the monitor's histogram.
    """

    counted: float
    stamped: float
    validity_warning: str
    state: tuple[float, ...]
    p99_us: float


class Engine(Copying, ABC):
    """A run of a model. Time goes on from window to window; requests in flight are carried over."""

    name: str

    observed: Observed | None = None
    """Measures of the last window by the system itself; None for a simulation."""

    @abstractmethod
    def __init__(self, model: Model, keys: np.ndarray, pools: tuple[int, int]):
        """A run of `model` at time zero; `keys`: shape (2,), uint64, the random key of each class."""

    @abstractmethod
    def resize(self, pools: tuple[int, int]) -> None:
        """Set the pools; workers beyond the new size leave when their request is done."""

    @abstractmethod
    def set_model(self, model: Model) -> None:
        """Go on under another model (a phase change): new clients come, surplus ones leave as soon as they are idle.

        All kinds of operation of the model before are among its kinds: some of them may be in flight.
        """

    @abstractmethod
    def set_pace(self, pace: tuple[float, float]) -> None:
        """Offer the requests of each class at a multiple of the trace's speed, from the next gap on."""

    def copy(self) -> Engine:
        """An independent engine in the same state, with the same random numbers ahead.

        Raises:
            InputError: of an engine whose state cannot be copied.
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
