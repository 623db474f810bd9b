"""Weights of experts with sum 1, by fixed share (Herbster and Warmuth 1998), for both learning policies."""

from __future__ import annotations

from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False)
def spread_evenly(weights, share):
    """Normalise weights to the sum 1, and spread a share of it evenly, in place.

    If all weights are 0 (by a factor of 0 or by underflow), they become equal.

    Args:
        weights: shape (e,), not negative.
        share: share to spread, 0 to 1.
    """
    total = weights.sum()
    if total == 0.0:
        weights[:] = 1.0
        total = float(weights.size)
    for expert in range(weights.size):
        weights[expert] = (1.0 - share) * weights[expert] / total + share / weights.size
