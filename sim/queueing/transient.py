"""A line that has not come to rest: its mean from instant to instant, between the loads of two windows.

The pointwise stationary fluid flow approximation (Wang, Tipper and Banerjee 1996): a line of mean m answers as many
requests as a stationary one of that mean. In heavy traffic that is R - v / m of R, so that dm/dt = a - R + v / m.
"""

from __future__ import annotations

import math

from pmtwin.sim.compiling import njit

NEAR_FULL = 0.98
"""Load from which on the spread of a line is that of a diffusion, not taken from the stationary mean."""


@njit(cache=True, error_model="numpy")
def spread_of_line(rate, full_rate, mean, arrival_scv, service_scv):
    """v, such that the stationary mean is v / (R - a)."""
    if rate < NEAR_FULL * full_rate and mean > 0.0:
        return mean * (full_rate - rate)
    return 0.5 * (min(rate, full_rate) * arrival_scv + full_rate * service_scv)


@njit(cache=True, error_model="numpy")
def advance_line(mean, drift, spread, most, duration):
    """The mean of a line after `duration`: one implicit step, which stays above 0 and at rest where it is at rest.

    Args:
        drift: requests that come less those that a busy pool answers, per ns.
        spread: of `spread_of_line`.
        most: the mean of a line that is as full as it gets.
    """
    ahead = mean + duration * drift
    further = 0.5 * (ahead + math.sqrt(ahead * ahead + 4.0 * duration * spread))
    return min(further, max(most, min(mean, further)))


@njit(cache=True, error_model="numpy")
def time_to_rest(mean, stationary, drift, spread):
    """About how long a line takes from one mean to the stationary one, in ns."""
    return (mean - stationary) ** 2 / (abs(mean - stationary) * abs(drift) + spread)
