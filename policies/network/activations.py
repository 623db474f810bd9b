"""Activations of hidden layers and their slopes, for batches; `forward` has the compiled ones."""

from __future__ import annotations

import numpy as np

from pmtwin.sim.errors import unknown_name

ACTIVATIONS = ("tanh", "relu", "swish")
"""Names; compiled code takes the index of an activation, or `NONE`."""

NONE = -1


def check_activation(name: str) -> None:
    """Raise `InputError` for a name that is none of `ACTIVATIONS`."""
    if name not in ACTIVATIONS:
        raise unknown_name("activation", name, ACTIVATIONS)


def activate(name: str, sums: np.ndarray) -> np.ndarray:
    """Outputs of units with these weighted sums, of the same type; overwrites `sums`, except for swish."""
    if name == "tanh":
        return np.tanh(sums, out=sums)
    if name == "relu":
        return np.maximum(sums, 0, out=sums)
    return sums * _logistic(sums)


def times_slope(name: str, gradient: np.ndarray, sums: np.ndarray, signals: np.ndarray) -> None:
    """Multiply a gradient by the slopes of the activation, in place.

    Args:
        gradient: gradient with respect to the signals; becomes the gradient with respect to the sums.
        sums: the sums after `activate`.
        signals: return value of `activate`.
    """
    if name == "tanh":
        gradient *= 1 - signals**2
    elif name == "relu":
        gradient[signals == 0] = 0
    else:
        gate = _logistic(sums)
        gradient *= gate + signals * (1 - gate)


def _logistic(sums: np.ndarray) -> np.ndarray:
    return 0.5 * np.tanh(0.5 * sums) + 0.5  # without overflow
