"""Numbers of a window as the network sees them, from what a scenario declares."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.policies.base import PolicyContext
from pmtwin.policies.linear_q.features import standardised
from pmtwin.policies.network.interface import Interface
from pmtwin.policies.network.layers import Layers
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.training.numbered_episodes import agents_view
from pmtwin.sim.control.window_history import window_numbers

PRESENT = "_present"
"""End of the name of a column that tells whether a window has a value of an optional one."""


class TickInputs:
    """Windows of a scenario, and ticks of several windows.

    Args:
        context: the scenario.
        hold: windows of a tick.
        seen: ticks in an observation.

    Attributes:
        names: of the numbers of a window.
        columns: how many there are.
        interface: of a trained network over windows, for its file.
    """

    def __init__(self, context: PolicyContext, hold: int, seen: int):
        window, normalization = agents_view(context, 1)
        self._measures, self._scaling = window.measures, normalization.scaling
        self._hold, self._seen = hold, seen
        self.names = (*(column.name for column in context.columns), *window.measures)
        self.columns = len(self.names)
        self.interface = Interface.showing_measures(context, bool(window.measures), hold * seen, jumps=False)
        self._optional = [place for place, name in enumerate(self.names) if name.endswith(PRESENT)]

    def measured(self, info: Mapping | None) -> bool:
        """Whether a window has all measures that the network sees; before the first window it has none."""
        return not self._measures or (info is not None and all(name in info for name in self._measures))

    def numbers(self, observation: np.ndarray, info: Mapping | None) -> np.ndarray:
        """Numbers of a window as they are stored: float32, shape (columns,)."""
        return window_numbers(observation, info, self._measures).astype(np.float32)

    def missing(self, numbers: np.ndarray) -> float:
        """Share of the optional numbers of a window that it lacks."""
        return 1.0 - float(numbers[self._optional].mean()) if self._optional else 0.0

    def tick(self, windows: list[np.ndarray]) -> tuple[np.ndarray, float]:
        """(scaled means over windows, mean share of missing cells)."""
        scaled = [standardised(numbers.astype(float), self._scaling) for numbers in windows]
        return np.mean(scaled, axis=0).astype(np.float32), float(
            np.mean([self.missing(numbers) for numbers in windows])
        )

    def perceptron(self, layers: Layers) -> Perceptron:
        """The network over windows, newest first: a mean over `hold` windows is part of its first layer."""
        first, *others = layers.weights
        ticks = first.reshape(self._seen, 1, self.columns, -1) / np.float32(self._hold)
        spread = np.repeat(ticks, self._hold, axis=1).reshape(-1, first.shape[1])
        weights = [np.ascontiguousarray(part.T, dtype=float) for part in (spread, *others)]
        scaling = np.tile(self._scaling, (1, self._hold * self._seen))
        return Perceptron(scaling, weights, [part.astype(float) for part in layers.biases], layers.activation)
