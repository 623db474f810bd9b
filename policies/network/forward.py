"""Compiled outputs of a network for single observations, for decisions and for use in other compiled code.

Sums run in the order of the inputs, and no multiplication is fused with an addition: the result does not depend on a
library's blocking, and the C++ policies compute the same bits.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.policies.network.activations import NONE
from pmtwin.sim.compiling import njit


@njit(cache=True, inner=True)
def activated(total, activation):
    """Output of a unit with this weighted sum; `activation` as in `layer`."""
    if activation == 0:
        return np.tanh(total)
    if activation == 1:
        return max(total, 0.0)
    if activation == 2:
        return total / (1 + math.exp(-total))
    return total


@njit(cache=True)
def layer(signals, weights, start, biases, activation):
    """Outputs of a layer: shape (rows, outputs).

    Args:
        signals: shape (rows, inputs).
        weights: shape (inputs, outputs), contiguous.
        start: initial value of each output's sum, shape (outputs,).
        biases: added at the end, shape (outputs,).
        activation: index in `ACTIVATIONS`, or `NONE`.
    """
    out = np.empty((signals.shape[0], biases.shape[0]), biases.dtype)
    for row in range(signals.shape[0]):
        out[row] = start
        for column in range(signals.shape[1]):
            value = signals[row, column]
            for unit in range(biases.shape[0]):
                out[row, unit] += value * weights[column, unit]
        for unit in range(biases.shape[0]):
            out[row, unit] = activated(out[row, unit] + biases[unit], activation)
    return out


@njit(cache=True)
def forward(parameters, sizes, activation, signals):
    """Outputs of the network, whose last layer has no activation: shape (rows, outputs).

    Args:
        parameters: parameters of all layers (`Layers.parameters`).
        sizes: int64, shape (layers + 1,): inputs, units of each hidden layer, outputs.
        activation: activation of the hidden layers, index in `ACTIVATIONS`.
        signals: shape (rows, inputs), of the type of the parameters.
    """
    begin, last = 0, sizes.shape[0] - 2
    for number in range(last + 1):
        inputs, outputs = sizes[number], sizes[number + 1]
        middle, end = begin + inputs * outputs, begin + (inputs + 1) * outputs
        weights, biases = parameters[begin:middle].reshape((inputs, outputs)), parameters[middle:end]
        kind = activation if number < last else NONE
        signals = layer(signals, weights, np.zeros_like(biases), biases, kind)
        begin = end
    return signals
