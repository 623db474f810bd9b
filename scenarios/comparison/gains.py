"""Gains of a policy over a baseline: ratios of mean rewards, over runs or, of too few runs, over their windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.sim.numerics.series import gain_of_series
from pmtwin.sim.numerics.statistics import FEWEST, ratio_over_runs, span

RUNS, WINDOWS = "runs", "windows"
"""What an interval is over."""


def gain_over(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> dict | None:
    """The gain of a policy over a baseline, as a share of the baseline's mean reward.

    Args:
        ours, theirs: rewards of the windows of each run, on the same seeds.

    Returns:
        `mean`, `low`, `high`, and `over`: `RUNS` (`ratio_over_runs`), or `WINDOWS` of fewer than `FEWEST` runs. Their
        neighbours are then merged (`gain_of_series`; `samples`, `merged`), and the interval says nothing about other
        seeds. None where the baseline does not earn a positive mean.
    """
    means, others = ([float(run.mean()) for run in runs] for runs in (ours, theirs))
    if sum(others) <= 0.0:
        return None
    if len(means) >= FEWEST:
        ratio = ratio_over_runs(means, others)
        ends = ((name, ratio[name]) for name in ("mean", "low", "high"))  # type: ignore[literal-required]
        return {**{name: None if value is None else value - 1.0 for name, value in ends}, "over": RUNS}
    series = gain_of_series(np.concatenate(ours), np.concatenate(theirs), [len(run) for run in ours])
    return {**series, "over": WINDOWS}


def share_of_gain(ours: Sequence[float], theirs: Sequence[float], best: Sequence[float]) -> dict | None:
    """The share that a policy has of the best settings' gain over a baseline.

    Args:
        ours, theirs, best: mean rewards of the runs of the policy, the baseline and the best settings.

    Returns:
        `mean`, `low` and `high` of the ratio of the mean gains, and `range`: least and greatest share of a run. None
        where the best settings gain nothing in a run.
    """
    gains, most = ([a - b for a, b in zip(means, theirs, strict=True)] for means in (ours, best))
    if min(most) <= 0.0:
        return None
    return {**ratio_over_runs(gains, most), "range": span([a / b for a, b in zip(gains, most, strict=True)])}
