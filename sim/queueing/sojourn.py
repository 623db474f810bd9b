"""Percentiles of the time that a request spends at queues in equilibrium, by Laplace transforms and their inversion.

A transform maps s (complex, of any shape) to E[exp(-s T)]. The transform of a sum of independent times is the product
of their transforms, and that of a mixture of classes the mixture of theirs. Sources: Pollaczek and Khinchine for the
wait of M/G/1; Erlang (1917) for that of M/M/k; Abate and Whitt (1995), "Numerical inversion of Laplace transforms of
probability distributions", algorithm Euler.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from scipy.optimize import brentq

from pmtwin.sim.errors import InputError
from pmtwin.sim.queueing.waiting import queue

Transform = Callable[[np.ndarray], np.ndarray]

_DISCRETISATION, _TERMS, _AVERAGED = 18.4, 30, 11
"""Abate and Whitt's A (error 1e-8), and the numbers of terms before and within Euler's summation."""

_WEIGHTS = np.array([comb(_AVERAGED, k) for k in range(_AVERAGED + 1)]) / 2.0**_AVERAGED
_SUMMED = np.ones(_TERMS + _AVERAGED + 1)
_SUMMED[_TERMS + 1 :] = np.cumsum(_WEIGHTS[::-1])[::-1][1:]
_SUMMED[0] = 0.5
_SUMMED *= (-1.0) ** np.arange(_SUMMED.size)
_POINTS = 0.5 * _DISCRETISATION + 1j * np.pi * np.arange(_SUMMED.size)


def gamma_time(mean_s: float, scv: float = 1.0) -> Transform:
    """Transform of a gamma-distributed time, as stations draw it.

    Args:
        mean_s: in seconds. scv: squared coefficient of variation; 0: constant.
    """
    if scv == 0.0:
        return lambda s: np.exp(-s * mean_s)
    return lambda s: (1.0 + s * mean_s * scv) ** (-1.0 / scv)


def waiting_time(
    name: str, rate: float, servers: int, mean_s: float, service_scv: float = 1.0, arrival_scv: float = 1.0
) -> Transform:
    """Transform of the wait before service; arguments as of `pmtwin.sim.queueing.waiting.queue`.

    Exact for M/M/k and M/G/1. For other queues an approximation: a request waits with the probability of M/M/k, and
    then for an exponential time, so that the mean wait is that of `queue`.

    Raises:
        InputError: the queue has no equilibrium.
    """
    state = queue(name, rate, servers, mean_s, service_scv, arrival_scv)
    if servers == 1 and arrival_scv == 1.0:
        service, idle = gamma_time(mean_s, service_scv), 1.0 - state.utilisation
        return lambda s: idle * s / (s - rate * (1.0 - service(s)))
    mean_if_waiting = state.wait_s / state.waits
    return lambda s: 1.0 - state.waits + state.waits / (1.0 + s * mean_if_waiting)


def tail(transform: Transform, times_s: np.ndarray) -> np.ndarray:
    """Probability that the time exceeds each of `times_s` (seconds, above 0); of the same shape.

    The error is below 1e-6 where the distribution is smooth, and larger near a jump (constant service times).
    """
    times = np.asarray(times_s, dtype=float)[..., None]
    points = _POINTS / times
    values = ((1.0 - transform(points)) / points).real
    return np.exp(0.5 * _DISCRETISATION) / times[..., 0] * (values @ _SUMMED)


def percentile(transform: Transform, share: float, mean_s: float) -> float:
    """Percentile of a time, in seconds.

    Args:
        share: share of the requests that do not exceed it, above 0 and below 1: 0.99 for p99.
        mean_s: mean of the time, at which the search begins.

    Raises:
        InputError: `share` is not above 0 and below 1.
    """
    if not 0.0 < share < 1.0:
        raise InputError("share", share, "above 0 and below 1")

    def excess(logarithm: float) -> float:
        return float(tail(transform, np.exp(logarithm))) - (1.0 - share)

    low = high = float(np.log(mean_s))
    while excess(low) < 0.0:
        low -= 2.0
    while excess(high) > 0.0:
        high += 1.0
    return float(np.exp(brentq(excess, low, high, xtol=1e-9)))
