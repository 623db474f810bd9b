"""A categorical network with one hidden layer of swish units (C51), for one observation at a time, compiled.

Parameters are laid out as in `Layers`. Everything is computed in loops over contiguous arrays without allocation, for
agents that decide and learn inside a simulation, whose batches are too small for a library of linear algebra. Sums run
in four parts, which the processor adds at once; no multiplication is fused with an addition.

`sizes`, an int64 array, has the number of inputs, hidden units, actions and atoms; `work`, of the parameters' type, has
`WORK_ROWS` rows of `work_width(sizes)`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from pmtwin.policies.network.projection import project_row
from pmtwin.sim.compiling import njit

_LOOPS: Any = {"cache": True, "_nrt": False, "error_model": "numpy"}  # a check of each divisor would stop vectorising

WORK_ROWS = 5
HIDDEN, SLOPES, OUTPUTS, WEIGHTS, TARGET = range(WORK_ROWS)
"""Rows of the work array: signals of the hidden units and slopes of their activation; outputs; unscaled probabilities;
target distribution. Gradients with respect to outputs take the place of the latter's `WEIGHTS`."""

_LOG2_E = np.float32(math.log2(math.e))
_LEAST = np.float32(-126.0)
_ROUND = np.float32(1.5 * 2**23)
"""Added and subtracted it rounds a float32 number to a whole one."""
_P1, _P2, _P3, _P4, _P5, _P6 = (np.float32(math.log(2) ** k / math.factorial(k)) for k in range(1, 7))
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


def work_width(sizes: Iterable[int]) -> int:
    """Width of the work array."""
    inputs, units, actions, atoms = sizes
    return max(inputs, units, actions * atoms)


@njit(forceinline=True, **_LOOPS)
def exponential(x):
    """exp(x) for x up to 80, to 4e-6 of it, near 0 to 3e-7; without a call, so that loops over it are vectorised."""
    powers = max(x * _LOG2_E, _LEAST)
    whole = (np.float32(powers) + _ROUND) - _ROUND
    part = powers - whole
    value = _ONE + part * (_P1 + part * (_P2 + part * (_P3 + part * (_P4 + part * (_P5 + part * _P6)))))
    return value * np.int32((np.int32(whole) + 127) << 23).view(np.float32)


@njit(**_LOOPS)
def action_values(parameters, sizes, inputs, low, step, work, values):
    """Write the mean of each action's distribution into `values`, and the unscaled probabilities into `work`.

    Args:
        inputs: shape (inputs,). low, step: first atom, and distance of two atoms.
    """
    columns, units, actions, atoms = sizes[0], sizes[1], sizes[2], sizes[3]
    hidden, outputs, weights = work[HIDDEN, :units], work[OUTPUTS, : actions * atoms], work[WEIGHTS]
    _hidden_layer(parameters, inputs, hidden, work[SLOPES])
    _last_layer(parameters, columns, hidden, 0, outputs)
    for action in range(actions):
        begin, end = action * atoms, (action + 1) * atoms
        _weigh(outputs[begin:end], weights[begin:end])
        total, moment = _moments(weights[begin:end])
        values[action] = low + step * (moment / total)


@njit(**_LOOPS)
def set_target(parameters, sizes, after, reward, discount, low, step, work, values):
    """Write into `work` the target of a row: reward and discounted return of the best action, projected on the atoms.

    Args:
        parameters: of the target network. after: next observation. reward, discount: of the row.
    """
    actions, atoms = sizes[2], sizes[3]
    action_values(parameters, sizes, after, low, step, work, values)
    best = 0
    for action in range(1, actions):
        if values[action] > values[best]:
            best = action
    weights, target = work[WEIGHTS, best * atoms : (best + 1) * atoms], work[TARGET, :atoms]
    total, _ = _moments(weights)
    for atom in range(atoms):
        weights[atom] /= total
        target[atom] = _ZERO
    project_row(weights, reward, discount, low, low + step * (atoms - 1), target)


@njit(**_LOOPS)
def add_gradient(parameters, sizes, inputs, action, share, work, gradient):
    """Add a share of the gradient of the cross-entropy between the target in `work` and the action's distribution.

    Args:
        share: of the parameters' type: 1 / rows of the batch. gradient: of the parameters' shape.

    Returns:
        The loss of the row.
    """
    columns, units, actions, atoms = sizes[0], sizes[1], sizes[2], sizes[3]
    hidden, slopes, first = work[HIDDEN, :units], work[SLOPES, :units], action * atoms
    logits, errors, target = work[OUTPUTS, :atoms], work[WEIGHTS, :atoms], work[TARGET, :atoms]
    _hidden_layer(parameters, inputs, hidden, slopes)
    _last_layer(parameters, columns, hidden, first, logits)
    most = _weigh(logits, errors)
    total, _ = _moments(errors)
    loss = math.log(total) + most - _product(target, logits)
    for atom in range(atoms):
        errors[atom] = share * (errors[atom] / total - target[atom])
    begin, outputs = (columns + 1) * units, actions * atoms
    for unit in range(units):
        place = begin + unit * outputs + first
        slopes[unit] *= _product(errors, parameters[place : place + atoms])
        _add(hidden[unit], errors, gradient[place : place + atoms])
    place = begin + units * outputs + first
    _add(_ONE, errors, gradient[place : place + atoms])
    for column in range(columns):
        _add(inputs[column], slopes, gradient[column * units : (column + 1) * units])
    _add(_ONE, slopes, gradient[columns * units : begin])
    return loss


@njit(forceinline=True, inner=True, **_LOOPS)
def _hidden_layer(parameters, inputs, hidden, slopes):
    """Signals of the hidden units, and slopes of their activation."""
    _sums(parameters, 0, hidden.size, 0, inputs, hidden)
    for unit in range(hidden.size):
        gate = _ONE / (_ONE + exponential(min(-hidden[unit], np.float32(80.0))))
        hidden[unit] *= gate
        slopes[unit] = gate + hidden[unit] * (_ONE - gate)


@njit(forceinline=True, inner=True, **_LOOPS)
def _last_layer(parameters, columns, hidden, first, out):
    """Outputs from number `first` on."""
    begin = (columns + 1) * hidden.size
    outputs = (parameters.size - begin) // (hidden.size + 1)
    _sums(parameters, begin, outputs, first, hidden, out)


@njit(forceinline=True, inner=True, **_LOOPS)
def _sums(parameters, begin, outputs, first, signals, out):
    """Weighted sums of a layer, from output `first` on; five rows of weights at a time.

    Args:
        begin: place of the layer's parameters. outputs: number of its outputs.
    """
    row, rows, whole = begin + first, signals.size, signals.size - signals.size % 5
    biases = parameters[row + rows * outputs :]
    for place in range(out.size):
        out[place] = biases[place]
    for number in range(0, whole, 5):
        a, b, c = signals[number], signals[number + 1], signals[number + 2]
        d, e = signals[number + 3], signals[number + 4]
        of_a, of_b, of_c = parameters[row:], parameters[row + outputs :], parameters[row + 2 * outputs :]
        of_d, of_e = parameters[row + 3 * outputs :], parameters[row + 4 * outputs :]
        for place in range(out.size):
            first_part = a * of_a[place] + b * of_b[place]
            out[place] += first_part + (c * of_c[place] + d * of_d[place]) + e * of_e[place]
        row += 5 * outputs
    for number in range(whole, rows):
        _add(signals[number], parameters[row:], out)
        row += outputs


@njit(forceinline=True, inner=True, **_LOOPS)
def _add(factor, row, out):
    """out += factor * row, as far as `out` goes."""
    for place in range(out.size):
        out[place] += factor * row[place]


@njit(forceinline=True, inner=True, **_LOOPS)
def _weigh(logits, weights):
    """Write the exponential of each logit less the largest one, which is returned."""
    a = b = c = d = logits[0]
    whole = logits.size - logits.size % 4
    for place in range(0, whole, 4):
        a, b = max(a, logits[place]), max(b, logits[place + 1])
        c, d = max(c, logits[place + 2]), max(d, logits[place + 3])
    for place in range(whole, logits.size):
        a = max(a, logits[place])
    most = max(max(a, b), max(c, d))
    for place in range(logits.size):
        weights[place] = exponential(logits[place] - most)
    return most


@njit(forceinline=True, inner=True, **_LOOPS)
def _moments(weights):
    """(sum, sum times the place)."""
    a, b, c, d = _ZERO, _ZERO, _ZERO, _ZERO
    e, f, g, h = _ZERO, _ZERO, _ZERO, _ZERO
    whole = weights.size - weights.size % 4
    for place in range(0, whole, 4):
        at = np.float32(place)
        a += weights[place]
        b += weights[place + 1]
        c += weights[place + 2]
        d += weights[place + 3]
        e += at * weights[place]
        f += (at + _ONE) * weights[place + 1]
        g += (at + np.float32(2.0)) * weights[place + 2]
        h += (at + np.float32(3.0)) * weights[place + 3]
    for place in range(whole, weights.size):
        a += weights[place]
        e += np.float32(place) * weights[place]
    return (a + b) + (c + d), (e + f) + (g + h)


@njit(forceinline=True, inner=True, **_LOOPS)
def _product(left, right):
    """Inner product."""
    a, b, c, d = _ZERO, _ZERO, _ZERO, _ZERO
    whole = left.size - left.size % 4
    for place in range(0, whole, 4):
        a += left[place] * right[place]
        b += left[place + 1] * right[place + 1]
        c += left[place + 2] * right[place + 2]
        d += left[place + 3] * right[place + 3]
    for place in range(whole, left.size):
        a += left[place] * right[place]
    return (a + b) + (c + d)
