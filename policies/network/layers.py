"""Dense layers over one vector of parameters, with gradients: the network that learns.

Optimisers, target copies and checkpoints see only the vector. Batches are multiplied by numpy's linear algebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pmtwin.policies.network.activations import ACTIVATIONS, activate, check_activation, times_slope
from pmtwin.policies.network.forward import forward
from pmtwin.sim.errors import InputError


class Passed(NamedTuple):
    """Intermediate values of a forward pass, for the backward pass.

    Fields:
        sums: weighted sums of each layer, after `activate`.
        signals: the inputs, then the outputs of each layer; each of shape (rows, units).
    """

    sums: list[np.ndarray]
    signals: list[np.ndarray]

    @property
    def outputs(self) -> np.ndarray:
        """Outputs of the last layer, shape (rows, outputs)."""
        return self.signals[-1]


class Layers:
    """Dense layers with an activation after each hidden one.

    Args:
        sizes: number of inputs, number of units of each hidden layer, number of outputs.
        activation: one of `ACTIVATIONS`.
        parameters: float32 or float64, shape (`parameter_count(sizes)`,), used without a copy: for each layer the
            weights, input by input, then the biases.

    Attributes:
        weights, biases: views of the parameters by layer, shapes (inputs, outputs) and (outputs,).

    Raises:
        InputError: for an unknown activation, or a vector of another length.
    """

    def __init__(self, sizes: Sequence[int], activation: str, parameters: np.ndarray):
        check_activation(activation)
        count = parameter_count(sizes)
        if parameters.shape != (count,):
            raise InputError("parameters", f"shape {parameters.shape}", f"shape ({count},) for layers of {list(sizes)}")
        self.sizes, self.activation, self.parameters = tuple(sizes), activation, parameters
        self.weights, self.biases = by_layer(self.sizes, parameters)
        self._compiled = np.array(self.sizes, dtype=np.int64), ACTIVATIONS.index(activation)

    @classmethod
    def drawn(
        cls,
        sizes: Sequence[int],
        activation: str,
        random: np.random.Generator | np.random.RandomState,
        dtype: type = np.float32,
    ) -> Layers:
        """Layers with random weights and biases (Glorot and Bengio, AISTATS 2010, as scikit-learn draws them).

        Args:
            random: generator of random numbers, with a method `uniform(low, high, size)`.
        """
        layers = cls(sizes, activation, np.empty(parameter_count(sizes), dtype=dtype))
        for weights, biases in zip(layers.weights, layers.biases, strict=True):
            bound = np.sqrt(6.0 / sum(weights.shape))
            weights[...] = random.uniform(-bound, bound, weights.shape)
            biases[...] = random.uniform(-bound, bound, len(biases))
        return layers

    def __reduce__(self):
        return type(self), (self.sizes, self.activation, self.parameters)

    def copy(self) -> Layers:
        """The same layers over a copy of the parameters."""
        return Layers(self.sizes, self.activation, self.parameters.copy())

    def values(self, observation: np.ndarray) -> np.ndarray:
        """Outputs for one observation, compiled: shape (outputs,)."""
        row = np.ascontiguousarray(observation, dtype=self.parameters.dtype)[None]
        return forward(self.parameters, *self._compiled, row)[0]

    def run(self, inputs: np.ndarray) -> Passed:
        """Forward pass of a batch; inputs: of the parameters' type, shape (rows, inputs)."""
        passed, last = Passed([], [inputs]), len(self.weights) - 1
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            sums = passed.signals[-1] @ weights
            sums += biases
            passed.sums.append(sums)
            passed.signals.append(sums if number == last else activate(self.activation, sums))
        return passed

    def gradient(self, passed: Passed, of_outputs: np.ndarray, out: np.ndarray) -> None:
        """Backward pass: write the gradient with respect to the parameters into `out`.

        Args:
            passed: return value of `run` with the present parameters.
            of_outputs: gradient with respect to the outputs, shape (rows, outputs).
            out: array of the parameters' shape and type.
        """
        weights, biases = by_layer(self.sizes, out)
        for number in range(len(weights) - 1, -1, -1):
            np.matmul(passed.signals[number].T, of_outputs, out=weights[number])
            np.sum(of_outputs, axis=0, out=biases[number])
            if number:
                of_outputs = of_outputs @ self.weights[number].T
                times_slope(self.activation, of_outputs, passed.sums[number - 1], passed.signals[number])


def parameter_count(sizes: Sequence[int]) -> int:
    """Number of parameters of all layers; `sizes` as in `Layers`.

    Raises:
        InputError: for fewer than two sizes, or one below 1.
    """
    if len(sizes) < 2 or min(sizes) < 1:
        raise InputError("sizes of layers", list(sizes), "inputs, hidden layers if any, and outputs, each 1 or more")
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))


def by_layer(sizes: Sequence[int], vector: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """(weights, biases) of each layer, as views of a vector of the parameters' shape."""
    weights, biases, begin = [], [], 0
    for inputs, outputs in pairwise(sizes):
        middle = begin + inputs * outputs
        weights.append(vector[begin:middle].reshape(inputs, outputs))
        biases.append(vector[middle : middle + outputs])
        begin = middle + outputs
    return weights, biases
