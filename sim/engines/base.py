"""What every engine of the twin offers to `pmtwin.sim.middleware.Middleware`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.sim.model import Model


class WindowResult(NamedTuple):
    """One window, request by request in completion order.

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


def waiting_ns(now: float, submitted: Sequence[np.ndarray]) -> np.ndarray:
    """How long those in queue have waited already, summed by class; `submitted`: when they were, by class."""
    return np.array([np.sum(now - of) for of in submitted])


class Engine(ABC):
    """One run of a model. Time goes on from window to window; what is in flight is carried over."""

    name: str

    @abstractmethod
    def resize(self, pools: tuple[int, int]) -> None:
        """Set the pools; workers beyond the new size leave when their request is done."""

    @abstractmethod
    def set_model(self, model: Model) -> None:
        """Go on under another model (a phase change): new clients come, surplus ones leave as soon as they are idle."""

    @abstractmethod
    def run_window(self, completions: int, release: tuple[int, int]) -> WindowResult:
        """Release requests of the trace, (interactive, batch), and run to exactly `completions` completions."""

    @abstractmethod
    def outstanding(self) -> np.ndarray:
        """Shape (2,): requests submitted and not yet answered."""

    @abstractmethod
    def unreleased(self) -> np.ndarray:
        """Shape (2,): requests released and not yet submitted; 0 for a class in closed loop."""
