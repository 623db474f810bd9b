"""Intervals of the law's parameters, by a bootstrap over configurations."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit, fit_mechanism
from pmtwin.sim.numerics.statistics import NORMAL_90

REPLICATE_EVALUATIONS = 10


def bootstrap_logs(
    configurations: Configurations, fit: MechanismFit, replicates: int, seed: np.random.SeedSequence
) -> np.ndarray:
    """Logarithms of the parameters fitted to resampled configurations, shape (replicates, parameters).

    Whole configurations are resampled: replicated measurements of one are summarised by their median.
    """
    count = len(configurations)
    logs = np.empty((replicates, len(fit.free)))
    for number, child in enumerate(seed.spawn(replicates)):
        sample = np.random.default_rng(child).integers(0, count, count)
        weights = np.bincount(sample, minlength=count).astype(float)
        used = np.flatnonzero(weights)
        refit = fit_mechanism(
            fit.operation, configurations.take(used), fit, weights[used], max_evaluations=REPLICATE_EVALUATIONS
        )
        logs[number] = refit.logs
    return logs


def intervals(fit: MechanismFit, logs: np.ndarray) -> dict[str, tuple[float, float]]:
    """90 % interval of each fitted parameter, log-normal around the fit with the replicates' standard deviation."""
    spread = NORMAL_90 * logs.std(axis=0, ddof=1)
    low, high = np.exp(fit.logs - spread), np.exp(fit.logs + spread)
    return {name: (float(a), float(b)) for name, a, b in zip(fit.free, low, high, strict=True)}
