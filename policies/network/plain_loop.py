"""The action of a categorical network with one hidden layer by plain loops: what faster inference is set beside."""

from __future__ import annotations

import math

import numpy as np

from pmtwin.sim.compiling import njit


@njit(cache=True)
def best_actions(observations, into, out, atoms, hidden, logits, chosen):
    """Fill in the action of the greatest mean return for each observation.

    Args:
        observations: float32, shape (rows, inputs).
        into: float32, shape (units, inputs + 1): weights of the hidden layer, biases last; its activation is swish.
        out: float32, shape (actions * atoms, units + 1): those of the outputs, action by action.
        atoms: float32, shape (atoms,): returns.
        hidden, logits: float32, buffers of shapes (units,) and (atoms,).
        chosen: int64, shape (rows,); filled in.
    """
    for row in range(observations.shape[0]):
        for unit in range(hidden.size):
            total = into[unit, observations.shape[1]]
            for column in range(observations.shape[1]):
                total += into[unit, column] * observations[row, column]
            hidden[unit] = total / (np.float32(1.0) + np.float32(math.exp(-total)))
        best, greatest = 0, -np.inf
        for action in range(out.shape[0] // atoms.size):
            most = np.float32(-np.inf)
            for atom in range(atoms.size):
                weights = out[action * atoms.size + atom]
                total = weights[hidden.size]
                for unit in range(hidden.size):
                    total += weights[unit] * hidden[unit]
                logits[atom] = total
                most = max(most, total)
            power, mean = np.float32(0.0), np.float32(0.0)
            for atom in range(atoms.size):
                share = np.float32(math.exp(logits[atom] - most))
                power += share
                mean += share * atoms[atom]
            if mean / power > greatest:
                best, greatest = action, mean / power
        chosen[row] = best
