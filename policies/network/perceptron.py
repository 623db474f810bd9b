"""A multilayer perceptron over a normalised observation, compiled.

Sums run in the order of the inputs and no product is fused with an addition, so that `middleware/policy/mlp.cpp` finds
the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.policies.linear_q.features import CLIP, standardised
from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError

ACTIVATIONS = ("tanh", "relu")


@dataclass(frozen=True)
class Perceptron:
    """Weights of a network; its last layer has no activation.

    Args:
        scaling: float64, shape (3, columns), as `pmtwin.sim.normalization.Normalization.scaling`.
        weights: of each layer float64, shape (outputs, inputs).
        biases: of each layer float64, shape (outputs,).
        activation: one of `ACTIVATIONS`.

    Raises:
        InputError: for arrays that do not fit one another or are not finite, or another activation.
    """

    scaling: np.ndarray
    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    activation: str

    def __post_init__(self):
        if self.activation not in ACTIVATIONS:
            raise InputError("activation", self.activation, ", ".join(ACTIVATIONS))
        if self.scaling.ndim != 2 or len(self.scaling) != 3 or not np.all(self.scaling[2] > 0.0):
            raise InputError("scaling", f"shape {self.scaling.shape}", "shape (3, columns), the last row above 0")
        if not self.weights or len(self.weights) != len(self.biases):
            raise InputError("weights", f"{len(self.weights)} layers", "as many as biases, one or more")
        inputs = self.scaling.shape[1]
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            if weights.ndim != 2 or weights.shape[1] != inputs or biases.shape != weights.shape[:1]:
                shapes = f"{weights.shape} and {biases.shape}"
                raise InputError(f"weights and biases of layer {number}", shapes, f"(n, {inputs}) and (n,)")
            inputs = len(biases)
        for array in (self.scaling, *self.weights, *self.biases):
            if not np.all(np.isfinite(array)):
                raise InputError("weights", "not finite", "finite numbers")

    @property
    def columns(self) -> int:
        """Numbers of an observation."""
        return self.scaling.shape[1]

    @property
    def actions(self) -> int:
        """Outputs of the last layer."""
        return len(self.biases[-1])

    def values(self, observation: np.ndarray) -> np.ndarray:
        """A number for each action, the higher the better: float64, shape (actions,)."""
        signal = standardised(np.asarray(observation, dtype=float), self.scaling)
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            last = number + 1 == len(self.weights)
            signal = _layer(signal, weights, biases, -1 if last else ACTIVATIONS.index(self.activation))
        return signal

    def to_dict(self) -> dict:
        """Plain values, for a file that C++ reads."""
        columns = [{"log": log != 0.0, "mean": mean, "scale": scale} for log, mean, scale in self.scaling.T.tolist()]
        layers = [
            {"weights": weights.tolist(), "biases": biases.tolist()}
            for weights, biases in zip(self.weights, self.biases, strict=True)
        ]
        return {"clip": CLIP, "columns": columns, "activation": self.activation, "layers": layers}


@njit(cache=True)
def _layer(signal, weights, biases, activation):
    out = np.empty(biases.shape[0])
    for row in range(out.shape[0]):
        total = 0.0
        for column in range(signal.shape[0]):
            total += weights[row, column] * signal[column]
        total += biases[row]
        if activation == 0:
            total = math.tanh(total)
        elif activation == 1:
            total = max(total, 0.0)
        out[row] = total
    return out
