"""Robustness of policies over runs, or over sampled systems: the middle half and the worst tenth.

The interquartile mean is hardly moved by a few outlying runs, and more certain than a median (Agarwal et al., "Deep
reinforcement learning at the edge of the statistical precipice", NeurIPS 2021). Intervals are percentiles of a paired
bootstrap: every policy is resampled on the same runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

FEWEST = 10
"""Fewest runs or samples: with fewer, a tenth of them is less than one."""

FEWEST_RESAMPLED = 20
"""Fewest values with an interval: with fewer, the worst tenth is the minimum, and no resample can go below it."""

RESAMPLES, SEED = 2_000, 0
ENDS = (2.5, 97.5)
"""Percentiles of the resamples: a 95 % interval."""


def worst_tenth(values: np.ndarray) -> np.ndarray:
    """Mean of the lowest tenth along the last axis, rounded down to whole values; at least one."""
    count = max(1, values.shape[-1] // 10)
    return np.sort(values, axis=-1)[..., :count].mean(axis=-1)


def interquartile_mean(values: np.ndarray) -> np.ndarray:
    """Mean without the lowest and the highest quarter along the last axis, rounded down to whole values."""
    cut = values.shape[-1] // 4
    return np.sort(values, axis=-1)[..., cut : values.shape[-1] - cut].mean(axis=-1)


STATISTICS = {"interquartile_mean": interquartile_mean, "worst_tenth": worst_tenth}


def robustness(scores: Mapping[str, Sequence[float]]) -> dict | None:
    """Both statistics of each policy, and their differences.

    Args:
        scores: spec -> a value for each run, or each sampled system, in the same order for every policy.

    Returns:
        `policies`: spec -> statistic -> `mean`, `low`, `high`; `differences`: for each pair `policy`, `against` and the
            differences of their statistics. `low` and `high` of worst tenths are None below `FEWEST_RESAMPLED` values.
            Returns None below `FEWEST` values, or if the runs of each policy are equal.
    """
    values = {spec: np.asarray(row, dtype=float) for spec, row in scores.items()}
    count = len(next(iter(values.values())))
    if count < FEWEST or all(np.ptp(row) == 0.0 for row in values.values()):
        return None
    drawn = np.random.default_rng(SEED).integers(count, size=(RESAMPLES, count))
    statistics = {
        spec: {name: (statistic(row), statistic(row[drawn])) for name, statistic in STATISTICS.items()}
        for spec, row in values.items()
    }
    return {
        "policies": {
            spec: {name: _interval(name, count, *both) for name, both in row.items()}
            for spec, row in statistics.items()
        },
        "differences": [
            {
                "policy": ours,
                "against": theirs,
                **{
                    name: _interval(
                        name,
                        count,
                        *(a - b for a, b in zip(statistics[ours][name], statistics[theirs][name], strict=True)),
                    )
                    for name in STATISTICS
                },
            }
            for ours, theirs in combinations(values, 2)
        ],
    }


def _interval(statistic: str, count: int, value: np.ndarray | float, resampled: np.ndarray) -> dict[str, float | None]:
    if statistic == "worst_tenth" and count < FEWEST_RESAMPLED:
        return {"mean": float(value), "low": None, "high": None}
    low, high = np.percentile(resampled, ENDS).tolist()
    return {"mean": float(value), "low": low, "high": high}
