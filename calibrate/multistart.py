"""The best fit of a device with few data: many starts, and a prior that is weaker for better data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import FitSettings, MechanismFit, bounds_of, fit_mechanism
from pmtwin.calibrate.specification import start_values
from pmtwin.sim.device.parameters import READ_AHEAD
from pmtwin.sim.device.read_ahead import FOLLOWED_BYTES, LINES_AHEAD, PAGE_BYTES

STARTS, START_SD, START_EVALUATIONS = 24, 0.8, 100
"""Number of further starts, their standard deviation from the specification (in logarithms), and evaluations of each.
On simulated devices about every fourth start finds the lowest minimum of ntstore, and nearly every one that of other
operations."""

LEAST_CONFIGURATIONS = 60
"""Number of configurations, about three for each parameter, below which a single fit is made."""

SEED = 0

PRIOR_SD = 1.4
"""Standard deviation of a parameter's logarithm: 90 % are within a factor of ten."""


def fit_best(operation: str, configurations: Configurations, settings: FitSettings) -> MechanismFit:
    """The best of several fits, for few data; for a dense sweep, the fit from the specification.

    With a hundred configurations the cost has several minima. For example, the amplification of the write-combining
    buffer and the number of streams that fill it can both be wrong by a third, while the bandwidth differs by 0.5 %.
    The minima are too far apart for starts near the first fit (`studies/truth.py`: devices whose parameters are
    known). All starts have the weak prior, since the strong one could choose a minimum against the data.
    """
    fit = _first_fit(operation, configurations, settings)
    if not settings.few or len(configurations) < LEAST_CONFIGURATIONS:
        return fit
    low, high = bounds_of(fit.free)
    values = start_values(operation)
    middle = np.log([values[name] for name in fit.free])
    rng = np.random.default_rng(SEED)
    fit = _with_weak_prior(fit, configurations)
    fits = [fit]
    for _ in range(STARTS):
        logs = np.clip(middle + START_SD * rng.standard_normal(middle.size), low, high)
        start = replace(fit, logs=logs)
        fits.append(fit_mechanism(operation, configurations, start, max_evaluations=START_EVALUATIONS))
    return _with_weak_prior(min(fits, key=lambda fit: fit.cost), configurations)


def _first_fit(operation: str, configurations: Configurations, settings: FitSettings) -> MechanismFit:
    """The fit from the specification; for loads, with read-ahead by prefetchers if that fits better.

    This holds for few data only.
    """
    fit = fit_mechanism(operation, configurations, settings=settings)
    sizes = configurations.access_size_bytes[configurations.random]
    if operation != "load" or not settings.read_ahead or not np.any((sizes > FOLLOWED_BYTES) & (sizes < PAGE_BYTES)):
        return fit
    switched = replace(settings, held={**settings.held, READ_AHEAD: LINES_AHEAD})
    return min((fit, fit_mechanism(operation, configurations, settings=switched)), key=lambda fit: fit.cost)


def _with_weak_prior(fit: MechanismFit, configurations: Configurations) -> MechanismFit:
    """The fit, continued with the prior weight that `PRIOR_SD` implies at the data's scatter, if that is smaller.

    The effect of a weight depends on the scatter: one that suits a device with errors of 5 % would, with errors of
    0.5 %, shift parameters towards their start by more than their intervals.
    """
    errors = fit.log_bandwidth(configurations) - np.log(configurations.bandwidth_mib_s)
    scatter = np.sqrt(np.sum(errors**2) / max(errors.size - len(fit.free), 1))
    weight = min(fit.settings.prior_weight, float(scatter) / PRIOR_SD)
    settings = replace(fit.settings, prior_weight=weight)
    return fit_mechanism(fit.operation, configurations, fit, settings=settings)
