"""Weights of experts that sum to 1, by fixed share (Herbster and Warmuth 1998), for both learners."""

from __future__ import annotations

from pmtwin.sim.compiling import njit


@njit(cache=True, _nrt=False)
def spread_evenly(weights, share):
    """Bring weights back to a sum of 1, and give all the same part of a share of it.

    Where every weight has become 0 (a factor of 0, or too small for a number), experts begin anew as equals.

    Args:
        weights: shape (e,), not negative; changed.
        share: 0 to 1.
    """
    total = weights.sum()
    if total == 0.0:
        weights[:] = 1.0
        total = float(weights.size)
    for expert in range(weights.size):
        weights[expert] = (1.0 - share) * weights[expert] / total + share / weights.size
