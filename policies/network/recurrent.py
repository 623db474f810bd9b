"""A recurrent network of long short-term memory, compiled: a number follows from a sequence of numbers.

    i, f, o = logistic(w x + W h + b),  g = tanh(w x + W h + b)   (Hochreiter, Schmidhuber 1997; Gers and others 2000)
    c = f c + i g,  h = o tanh(c);  after the last step  output = v h + a

Sums run in the order of the units, and no multiplication is fused with an addition.
"""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit

GATES = INPUT, FORGET, OUTPUT, CANDIDATE = 0, 1, 2, 3
CELL, SIGNAL = 4, 5
KEPT = 6
"""Values of a unit that a step keeps for the way back: its gates, cell and signal."""


def parameter_count(units: int) -> int:
    """Number of parameters: those of the gates by input, by signals and constant, then those of the output."""
    return 4 * units * (units + 2) + units + 1


def drawn(units: int, random: np.random.Generator) -> np.ndarray:
    """Random parameters, float64, shape (`parameter_count(units)`,): Glorot and Bengio's; forget gates begin open."""
    bound = math.sqrt(6.0 / (2 * units + 1))
    parameters = random.uniform(-bound, bound, parameter_count(units))
    parameters[4 * units * (units + 1) : 4 * units * (units + 2)] = 0.0
    parameters[4 * units * (units + 1) + FORGET * units :][:units] = 1.0
    parameters[-1] = 0.0
    return parameters


def make_passed(steps: int, units: int) -> np.ndarray:
    """Room for the values of sequences of so many numbers: shape (steps + 1, `KEPT`, units)."""
    return np.zeros((steps + 1, KEPT, units))


@njit(cache=True)
def output(parameters, sequence, passed):
    """The network's output for a sequence, which may be shorter than `passed` has room for.

    Args:
        parameters: as of `drawn`. sequence: float64, shape (steps,). passed: as of `make_passed`; row 0 stays zero.
    """
    units = passed.shape[2]
    by_input, by_signal, constant, by_output, last = _parts(parameters, units)
    for step in range(sequence.size):
        before, now = passed[step], passed[step + 1]
        for gate in range(4):
            for unit in range(units):
                total = by_input[gate, unit] * sequence[step]
                for source in range(units):
                    total += by_signal[gate, unit, source] * before[SIGNAL, source]
                total += constant[gate, unit]
                now[gate, unit] = math.tanh(total) if gate == CANDIDATE else 0.5 * math.tanh(0.5 * total) + 0.5
        for unit in range(units):
            now[CELL, unit] = now[FORGET, unit] * before[CELL, unit] + now[INPUT, unit] * now[CANDIDATE, unit]
            now[SIGNAL, unit] = now[OUTPUT, unit] * math.tanh(now[CELL, unit])
    total = last[0]
    for unit in range(units):
        total += by_output[unit] * passed[sequence.size, SIGNAL, unit]
    return total


@njit(cache=True)
def add_gradient(parameters, sequence, passed, slope, gradient):
    """Add the gradient of a loss to `gradient`, of the parameters' shape.

    Args:
        passed: after `output` of the same sequence and parameters. slope: of the loss by the output.
    """
    units = passed.shape[2]
    _, by_signal, _, by_output, _ = _parts(parameters, units)
    in_by_input, in_by_signal, in_constant, in_by_output, in_last = _parts(gradient, units)
    in_last[0] += slope
    of_signal, of_cell, of_gates = np.zeros(units), np.zeros(units), np.zeros((4, units))
    for unit in range(units):
        in_by_output[unit] += slope * passed[sequence.size, SIGNAL, unit]
        of_signal[unit] = slope * by_output[unit]
    for step in range(sequence.size - 1, -1, -1):
        before, now = passed[step], passed[step + 1]
        for unit in range(units):
            _gate_slopes(before, now, unit, of_signal, of_cell, of_gates)
        of_signal[:] = 0.0
        for gate in range(4):
            for unit in range(units):
                in_by_input[gate, unit] += of_gates[gate, unit] * sequence[step]
                in_constant[gate, unit] += of_gates[gate, unit]
                for source in range(units):
                    in_by_signal[gate, unit, source] += of_gates[gate, unit] * before[SIGNAL, source]
                    of_signal[source] += of_gates[gate, unit] * by_signal[gate, unit, source]


@njit(cache=True, inner=True)
def _gate_slopes(before, now, unit, of_signal, of_cell, of_gates):
    """Slopes by the weighted sums of a unit's gates, and by its cell of the step before."""
    squashed = math.tanh(now[CELL, unit])
    gate_in, forget, out, candidate = now[INPUT, unit], now[FORGET, unit], now[OUTPUT, unit], now[CANDIDATE, unit]
    cell = of_cell[unit] + of_signal[unit] * out * (1.0 - squashed * squashed)
    of_gates[OUTPUT, unit] = of_signal[unit] * squashed * out * (1.0 - out)
    of_gates[INPUT, unit] = cell * candidate * gate_in * (1.0 - gate_in)
    of_gates[FORGET, unit] = cell * before[CELL, unit] * forget * (1.0 - forget)
    of_gates[CANDIDATE, unit] = cell * gate_in * (1.0 - candidate * candidate)
    of_cell[unit] = cell * forget


@njit(cache=True, inner=True)
def _parts(vector, units):
    """Views of the parameters: by input, by signal, constants, by output, and the output's constant."""
    square = 4 * units * units
    begin = 4 * units + square
    return (
        vector[: 4 * units].reshape((4, units)),
        vector[4 * units : begin].reshape((4, units, units)),
        vector[begin : begin + 4 * units].reshape((4, units)),
        vector[begin + 4 * units : begin + 5 * units],
        vector[begin + 5 * units :],
    )
