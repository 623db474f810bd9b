"""Transients: the mean number of requests in a queue that is not in equilibrium, as a function of time.

The pointwise stationary fluid flow approximation (Wang, Tipper and Banerjee 1996): a queue of mean length m answers at
the rate of a stationary queue of that mean. In heavy traffic this rate is R - v / m, where R is the full rate, so that
dm/dt = a - R + v / m for an arrival rate a.
"""

from __future__ import annotations

import math

from pmtwin.sim.compiling import njit

NEAR_FULL = 0.98
"""Load from which on v is that of a diffusion, rather than computed from the stationary mean."""


@njit(cache=True, error_model="numpy")
def spread_of_line(rate, full_rate, mean, arrival_scv, service_scv):
    """The constant v of a queue, such that its stationary mean is v / (R - a).

    Args:
        rate, full_rate: a and R, per ns. mean: stationary mean length.
        arrival_scv, service_scv: squared coefficients of variation of gaps and service times.
    """
    if rate < NEAR_FULL * full_rate and mean > 0.0:
        return mean * (full_rate - rate)
    return 0.5 * (min(rate, full_rate) * arrival_scv + full_rate * service_scv)


@njit(cache=True, error_model="numpy")
def advance_line(mean, drift, spread, most, duration):
    """The mean length of a queue after `duration` ns, by one implicit step: it stays above 0, and keeps an equilibrium.

    Args:
        mean: length at the start.
        drift: arrival rate less full rate, per ns.
        spread: v, of `spread_of_line`.
        most: largest mean length.
    """
    free = mean + duration * drift
    length = 0.5 * (free + math.sqrt(free * free + 4.0 * duration * spread))
    return min(length, max(most, min(mean, length)))


@njit(cache=True, error_model="numpy", inner=True)
def time_to_rest(mean, stationary, drift, spread):
    """Approximate time, in ns, in which a queue's mean length comes to the stationary one."""
    return (mean - stationary) ** 2 / (abs(mean - stationary) * abs(drift) + spread)
