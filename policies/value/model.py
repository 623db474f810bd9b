"""Afterstate values: a small network of the last two windows and a possible next setting, for all settings at once.

An afterstate is the state after an action and before the random outcome (Sutton and Barto, "Reinforcement Learning",
2nd ed., section 6.8): the last windows and the next setting. One function for all settings learns from every window;
separate functions for actions would each learn only from the windows of their action. The file
`middleware/policy/afterstate.cpp` computes the same bits.
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
"""Number of windows in an input: the last two, so that the network sees changes of load as well as its level."""


@dataclass(frozen=True)
class AfterstateValue:
    """A network with one output, and the form of its inputs.

    Args:
        inputs: inputs of a window.
        network: columns are the numbers of the last window, of the window before it, and of a setting.

    Raises:
        InputError: for a network of another shape.
    """

    inputs: Inputs
    network: Perceptron

    def __post_init__(self):
        numbers = WINDOWS * self.inputs.window_size
        columns, outputs = self.network.columns, self.network.actions
        if not numbers < columns or outputs != 1:
            allowed = f"more than {numbers} inputs, 1 output"
            raise InputError("value network", f"{columns} inputs, {outputs} outputs", allowed)

    @property
    def setting_size(self) -> int:
        """Number of numbers in a setting."""
        return self.network.columns - WINDOWS * self.inputs.window_size

    def to_dict(self) -> dict:
        """The model as plain values, for a file that C++ reads."""
        return {"measures": list(self.inputs.measures), **self.network.to_dict()}

    def values(self, windows: np.ndarray, settings: np.ndarray) -> np.ndarray:
        """The value of each setting: float64, shape (n,).

        Args:
            windows: numbers of the last window, then of the one before it, 2 * window_size in all.
            settings: shape (n, numbers).
        """
        scaling, size = self.network.scaling, windows.size
        activation, last = ACTIVATIONS.index(self.network.activation), len(self._by_input) - 1
        (first, offset), *others = self._by_input
        # the windows are the same for all settings: their part of the first layer is summed once
        shared = standardised(windows.ravel(), np.ascontiguousarray(scaling[:, :size]))
        (offset,) = layer(shared[None], first[:size], offset, np.zeros_like(offset), NONE)
        signal = _standardised(np.ascontiguousarray(settings, dtype=float), np.ascontiguousarray(scaling[:, size:]))
        signal = layer(signal, first[size:], offset, np.zeros_like(offset), activation if last else NONE)
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
