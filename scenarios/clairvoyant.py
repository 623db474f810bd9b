"""The plan of the clairvoyant: dynamic programming on the means of redrawn windows, for each context.

The state is the load of the coming window and the queues (`System.load`). A setting's value at a state is the mean over
the windows of a `Sample` whose states are nearest: what the window earns, and what the state that it leaves behind is
worth at the best setting. Backlog is therefore carried over: a setting that leaves a queue pays for it later. Averages
of neighbours do not exaggerate differences, so that the iteration converges (Gordon, "Stable function approximation in
dynamic programming", ICML 1995; Ormoneit and Sen, "Kernel-based reinforcement learning", Machine Learning 2002).
"""

from __future__ import annotations

import numpy as np

from pmtwin.policies.clairvoyant import NEIGHBOURS, WindowPlan, nearest
from pmtwin.scenarios.survey import Sample

DISCOUNT = 0.9
SWEEPS = 40
"""0.9^40 = 0.015 of a window's payoff is what is left out."""


def window_plan(sample: Sample, neighbours: int = NEIGHBOURS) -> WindowPlan:
    """The plan of one case.

    Args:
        neighbours: windows that a mean is of; all of them where the system tells no load.
    """
    count, redraws, windows = sample.payoff.shape
    states = np.log(sample.load)
    before = states[:, :, :-1].reshape(count, redraws * windows, -1)
    after = states[:, :, 1:].reshape(count * redraws * windows, -1)
    payoff = sample.payoff.reshape(count, -1)
    if before.shape[2] == 0:
        return WindowPlan(sample.settings, before, payoff, neighbours)
    found = np.stack([nearest(states_of, after, neighbours) for states_of in before])  # (settings, points, neighbours)
    values = payoff.copy()
    rows = np.arange(count)[:, None, None]
    for _ in range(SWEEPS):
        best = values[rows, found].mean(axis=2).max(axis=0)
        values = payoff + DISCOUNT * best.reshape(count, -1)
    return WindowPlan(sample.settings, before, values, neighbours)
