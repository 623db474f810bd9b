"""Sums of waits in queue, in the same order in both engines: floating-point sums depend on the order."""

from __future__ import annotations

from pmtwin.sim.compiling import njit

IN_TURN = 8
"""Number of partial sums; fewer terms than this are added one after another."""

BLOCK = 128
"""Largest number of terms of a sum that is not divided into two halves."""


@njit(cache=True)
def waited_ns(now, submitted):
    """Total time in queue until now, in ns, of requests with these submission times, shape (n,)."""
    return pairwise_sum(now - submitted)


@njit(cache=True)
def pairwise_sum(values):
    """The sum in numpy's pairwise order, whose error grows only with the logarithm of the number of values."""
    n = values.shape[0]
    if n > BLOCK:
        half = n // 2
        half -= half % IN_TURN
        return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
    if n < IN_TURN:
        total = 0.0
        for j in range(n):
            total += values[j]
        return total
    parts = values[:IN_TURN].copy()
    whole = n - n % IN_TURN
    for j in range(IN_TURN, whole):
        parts[j % IN_TURN] += values[j]
    total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for j in range(whole, n):
        total += values[j]
    return total
