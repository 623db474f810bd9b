"""Optimisers of a vector of parameters (Adam, RMSProp), and a limit on the length of a gradient."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError


class Optimiser(ABC):
    """Base class of optimisers.

    Args:
        parameters: vector to optimise; only its length and type are used.
        rate: learning rate.

    Attributes:
        steps: number of steps so far.
    """

    moments: ClassVar[int]
    """Number of running means of each parameter's gradient."""

    def __init__(self, parameters: np.ndarray, rate: float):
        self.rate, self.steps = rate, 0
        self._moments = np.zeros((self.moments, len(parameters)), parameters.dtype)

    @abstractmethod
    def step(self, parameters: np.ndarray, gradient: np.ndarray) -> None:
        """Move the parameters in place, against the gradient."""

    def step_and_follow(self, parameters: np.ndarray, gradient: np.ndarray, target: np.ndarray, share: float) -> None:
        """As `step`; then move `target` by a share of its distance to the parameters, in place."""
        self.step(parameters, gradient)
        target *= 1.0 - share
        target += share * parameters

    def state(self) -> dict[str, np.ndarray]:
        """Copies of the arrays for `restore`."""
        return {"moments": self._moments.copy(), "steps": np.array(self.steps)}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Continue from a state.

        Raises:
            InputError: for the state of another optimiser, or of other parameters.
        """
        if state["moments"].shape != self._moments.shape:
            shapes = f"shape {state['moments'].shape}", f"shape {self._moments.shape}"
            raise InputError("moments of the optimiser", *shapes)
        self._moments[...] = state["moments"]
        self.steps = int(state["steps"])


class Adam(Optimiser):
    """Adam (Kingma and Ba, ICLR 2015); in float64 the same bits as scikit-learn's."""

    moments = 2

    def __init__(
        self,
        parameters: np.ndarray,
        rate: float = 1e-3,
        first_decay: float = 0.9,
        second_decay: float = 0.999,
        epsilon: float = 1e-8,
    ):
        super().__init__(parameters, rate)
        self.first_decay, self.second_decay, self.epsilon = first_decay, second_decay, epsilon

    def step(self, parameters: np.ndarray, gradient: np.ndarray):
        """Move the parameters in place, against the gradient."""
        _adam(parameters, gradient, *self._moments, *map(parameters.dtype.type, self._next_numbers()))

    def step_and_follow(self, parameters: np.ndarray, gradient: np.ndarray, target: np.ndarray, share: float):
        """Both in one pass over the memory; the same bits as one after the other."""
        numbers = (*self._next_numbers(), 1.0 - share, share)
        _adam_and_follow(parameters, gradient, *self._moments, target, *map(parameters.dtype.type, numbers))

    def _next_numbers(self) -> tuple[float, ...]:
        """Count a step; decays, their complements, the corrected learning rate and epsilon."""
        self.steps += 1
        first, second = self.first_decay, self.second_decay
        rate = self.rate * np.sqrt(1.0 - second**self.steps) / (1.0 - first**self.steps)
        return first, 1.0 - first, second, 1.0 - second, rate, self.epsilon


class RmsProp(Optimiser):
    """RMSProp (Tieleman and Hinton, lecture 6.5, 2012)."""

    moments = 1

    def __init__(self, parameters: np.ndarray, rate: float = 1e-3, decay: float = 0.99, epsilon: float = 1e-8):
        super().__init__(parameters, rate)
        self.decay, self.epsilon = decay, epsilon

    def step(self, parameters: np.ndarray, gradient: np.ndarray):
        """Move the parameters in place, against the gradient."""
        self.steps += 1
        numbers = (self.decay, 1.0 - self.decay, self.rate, self.epsilon)
        _rms_prop(parameters, gradient, *self._moments, *map(parameters.dtype.type, numbers))


_09, _01, _0999, _0001, _099, _001 = map(np.float32, (0.9, 0.1, 0.999, 0.001, 0.99, 0.01))
_EPSILON = np.float32(1e-8)

OPTIMISERS: dict[str, type[Optimiser]] = {"adam": Adam, "rmsprop": RmsProp}


def limit_norm(gradient: np.ndarray, limit: float) -> float:
    """Shorten a gradient that is longer than `limit` to that length, in place; returns its length before."""
    norm = float(np.sqrt(gradient @ gradient))
    if norm > limit:
        gradient *= gradient.dtype.type(limit / norm)
    return norm


def limit_norms(parts: Sequence[np.ndarray], limit: float) -> float:
    """`limit_norm` of each part of a gradient by itself; returns the greatest length before."""
    return max(limit_norm(part, limit) for part in parts)


@njit(cache=True, _nrt=False)
def descend(kind, parameters, gradient, moments, steps, rate):
    """A step of an optimiser with its usual decays, for use in other compiled code.

    Args:
        kind: index in `OPTIMISERS`. parameters, gradient: of one type. moments: of that too, shape (2, parameters).
        steps: number of the step, from 1 on. rate: learning rate.
    """
    if kind == 0:
        rate *= math.sqrt(1.0 - 0.999**steps) / (1.0 - 0.9**steps)
        _adam(parameters, gradient, moments[0], moments[1], _09, _01, _0999, _0001, np.float32(rate), _EPSILON)
    else:
        _rms_prop(parameters, gradient, moments[0], _099, _001, np.float32(rate), _EPSILON)


@njit(cache=True, error_model="numpy")  # a check of each divisor would stop vectorising
def _adam(parameters, gradient, first, second, first_decay, first_rest, second_decay, second_rest, rate, epsilon):
    for k in range(parameters.shape[0]):
        first[k] = first_decay * first[k] + first_rest * gradient[k]
        second[k] = second_decay * second[k] + second_rest * (gradient[k] * gradient[k])
        parameters[k] += -rate * first[k] / (np.sqrt(second[k]) + epsilon)


@njit(cache=True, error_model="numpy")
def _adam_and_follow(
    parameters, gradient, first, second, target,
    first_decay, first_rest, second_decay, second_rest, rate, epsilon, rest, share,
):  # fmt: skip
    for k in range(parameters.shape[0]):
        slope = gradient[k]
        mean = first_decay * first[k] + first_rest * slope
        square = second_decay * second[k] + second_rest * (slope * slope)
        value = parameters[k] + -rate * mean / (np.sqrt(square) + epsilon)
        first[k], second[k], parameters[k] = mean, square, value
        target[k] = rest * target[k] + share * value


@njit(cache=True)
def _rms_prop(parameters, gradient, mean, decay, rest, rate, epsilon):
    for k in range(parameters.shape[0]):
        mean[k] = decay * mean[k] + rest * (gradient[k] * gradient[k])
        parameters[k] -= rate * gradient[k] / (np.sqrt(mean[k]) + epsilon)
