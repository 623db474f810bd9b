"""A trained network over a scenario's observation; `middleware/policy/mlp.cpp` computes the same bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pmtwin.policies.linear_q.features import CLIP, standardised
from pmtwin.policies.network.activations import ACTIVATIONS, check_activation
from pmtwin.policies.network.atoms import Atoms, means
from pmtwin.policies.network.forward import forward
from pmtwin.policies.network.layers import Layers
from pmtwin.sim.errors import InputError


@dataclass(frozen=True)
class Perceptron:
    """A network whose outputs are values of actions, or distributions over their returns.

    The last layer has no activation.

    Args:
        scaling: float64, shape (3, columns), as `pmtwin.sim.control.normalization.Normalization.scaling`.
        weights: weights of each layer, float64, shape (outputs, inputs).
        biases: biases of each layer, float64, shape (outputs,).
        activation: one of `ACTIVATIONS`.
        atoms: atoms of each action's distribution; None: each action has one output, its value.

    Raises:
        InputError: for arrays that do not fit one another or are not finite, or an unknown activation.
    """

    scaling: np.ndarray
    weights: Sequence[np.ndarray]
    biases: Sequence[np.ndarray]
    activation: str
    atoms: Atoms | None = None

    def __post_init__(self):
        check_activation(self.activation)
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
        if self.atoms is not None:
            self.atoms.check()
            if len(self.biases[-1]) % self.atoms.count:
                raise InputError("outputs", len(self.biases[-1]), f"{self.atoms.count} for each action")

    @classmethod
    def of(cls, layers: Layers, scaling: np.ndarray, atoms: Atoms | None = None) -> Perceptron:
        """The network with the weights of trained layers, for observations with this scaling."""
        weights = [np.ascontiguousarray(weights.T, dtype=float) for weights in layers.weights]
        return cls(scaling, weights, [biases.astype(float) for biases in layers.biases], layers.activation, atoms)

    @property
    def columns(self) -> int:
        """Length of an observation."""
        return self.scaling.shape[1]

    @property
    def actions(self) -> int:
        """Number of actions."""
        return len(self.biases[-1]) // (1 if self.atoms is None else self.atoms.count)

    def values(self, observation: np.ndarray) -> np.ndarray:
        """The value of each action: float64, shape (actions,)."""
        signal = standardised(np.asarray(observation, dtype=float), self.scaling)
        outputs = forward(*self._compiled, signal[None])[0]
        return outputs if self.atoms is None else means(outputs, *self.atoms)

    @cached_property
    def _compiled(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Parameters, sizes and activation as `forward` takes them."""
        layers = zip(self.weights, self.biases, strict=True)
        parameters = np.concatenate([part.ravel() for weights, biases in layers for part in (weights.T, biases)])
        sizes = np.array([self.columns, *map(len, self.biases)], dtype=np.int64)
        return parameters, sizes, ACTIVATIONS.index(self.activation)

    def to_dict(self) -> dict:
        """Plain values, for a file that C++ reads."""
        columns = [{"log": log != 0.0, "mean": mean, "scale": scale} for log, mean, scale in self.scaling.T.tolist()]
        layers = [
            {"weights": weights.tolist(), "biases": biases.tolist()}
            for weights, biases in zip(self.weights, self.biases, strict=True)
        ]
        values = {"clip": CLIP, "columns": columns, "activation": self.activation, "layers": layers}
        return values if self.atoms is None else {**values, "atoms": self.atoms._asdict()}
