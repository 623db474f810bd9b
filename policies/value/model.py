"""Afterstate values: a small network of the last two windows and of a setting to jump to, for all settings at once.

An afterstate is what an action leaves behind before chance has its say (Sutton and Barto, "Reinforcement Learning",
2nd ed., section 6.8): the windows seen and the setting in force next. One function of it serves all settings, where a
function for each action must learn anew from each action's own windows. `middleware/policy/afterstate.cpp` finds the
same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmtwin.policies.linear_q.features import standardised
from pmtwin.policies.network.activations import ACTIVATIONS, NONE
from pmtwin.policies.network.forward import layer
from pmtwin.policies.network.perceptron import Perceptron
from pmtwin.policies.value.inputs import Inputs
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError

WINDOWS = 2
"""Windows that are read: the last, and the one before it, so that a change of load is told from its level."""


@dataclass(frozen=True)
class AfterstateValue:
    """The network, and what it reads.

    Args:
        inputs: of a window.
        network: of one output; its columns are those of the last window, of the one before it, of a setting.

    Raises:
        InputError: for a network of another shape.
    """

    inputs: Inputs
    network: Perceptron

    def __post_init__(self):
        wanted = WINDOWS * self.inputs.window_size
        shape = self.network.columns, self.network.actions
        if not wanted < self.network.columns or self.network.actions != 1:
            raise InputError("value network", f"{shape[0]} inputs, {shape[1]} outputs", f"over {wanted}, 1")

    @property
    def setting_size(self) -> int:
        """Numbers of a setting."""
        return self.network.columns - WINDOWS * self.inputs.window_size

    def to_dict(self) -> dict:
        """As plain values, for a file that C++ reads."""
        return {"measures": list(self.inputs.measures), **self.network.to_dict()}

    def values(self, windows: np.ndarray, settings: np.ndarray) -> np.ndarray:
        """The value of each setting: float64, shape (n,).

        Args:
            windows: the last and then the one before it, 2 * window_size numbers in all. settings: shape (n, numbers).
        """
        scaling, seen = self.network.scaling, windows.size
        activation, last = ACTIVATIONS.index(self.network.activation), len(self._by_input) - 1
        (first, offset), *others = self._by_input
        # what was seen is the same for all settings: its share of the first layer is summed once
        known = standardised(windows.ravel(), np.ascontiguousarray(scaling[:, :seen]))
        (offset,) = layer(known[None], first[:seen], offset, np.zeros_like(offset), NONE)
        signal = _standardised(np.ascontiguousarray(settings, dtype=float), np.ascontiguousarray(scaling[:, seen:]))
        signal = layer(signal, first[seen:], offset, np.zeros_like(offset), activation if last else NONE)
        for number, (weights, biases) in enumerate(others, 1):
            signal = layer(signal, weights, biases, np.zeros_like(biases), activation if number < last else NONE)
        return signal[:, 0]

    @cached_property
    def _by_input(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights and biases of each layer, as `layer` takes them."""
        pairs = zip(self.network.weights, self.network.biases, strict=True)
        return [(np.ascontiguousarray(weights.T), biases) for weights, biases in pairs]


@njit(cache=True)
def _standardised(rows, scaling):
    out = np.empty(rows.shape)
    for row in range(rows.shape[0]):
        out[row] = standardised(rows[row], scaling)
    return out
