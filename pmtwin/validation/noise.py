"""Noise of the measurements: no error of a twin smaller than that can be resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.sim.numerics.statistics import present

SEEDS, WINDOWS, REPEAT = "seeds_percent", "windows_percent", "repeat_percent"
MEANING = {
    SEEDS: "standard deviation between seeds of a case's mean",
    WINDOWS: "standard deviation between windows of one run",
    REPEAT: "how far the mean of one seed is from that of the others: the real system as a prediction of itself",
}
"""Fields of `noise`, each in percent of the mean."""


def noise(runs: Sequence[np.ndarray]) -> dict[str, list[float]]:
    """Noise of one case.

    Args:
        runs: one array of shape (windows,) per seed.

    Returns:
        field of `MEANING` -> values in percent; empty for too few seeds or windows with a value, or if all are zero.
    """
    runs = [known for run in runs if len(known := present(run))]
    means = np.array([run.mean() for run in runs])
    values: dict[str, list[float]] = {name: [] for name in MEANING}
    if not means.all():
        return values
    if len(means) > 1:
        values[SEEDS] = [100.0 * float(means.std(ddof=1) / means.mean())]
        others = (means.sum() - means) / (len(means) - 1)
        values[REPEAT] = (100.0 * np.abs(means / others - 1.0)).tolist()
    values[WINDOWS] = [100.0 * float(run.std(ddof=1) / run.mean()) for run in runs if len(run) > 1]
    return values


def summary(cases: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, float | None]:
    """Field of `MEANING` -> median of `noise` over cases; None without values."""
    together = {name: [value for case in cases for value in case[name]] for name in MEANING}
    return {name: float(np.median(values)) if values else None for name, values in together.items()}
