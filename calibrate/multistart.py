"""The best fit of a device with little data: many starts, and a prior that weakens as the data improve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import FitSettings, MechanismFit, bounds_of, fit_mechanism
from pmtwin.calibrate.specification import start_values
from pmtwin.sim.device.parameters import READ_AHEAD
from pmtwin.sim.device.read_ahead import FOLLOWED_BYTES, LINES_AHEAD, PAGE_BYTES

STARTS, START_SD, START_EVALUATIONS = 24, 0.8, 100
"""Further starts, off the specification's by this standard deviation of the parameters' logarithms. On simulated
devices about every fourth one finds the lowest minimum of ntstore, and nearly every one that of other operations."""

LEAST_CONFIGURATIONS = 60
"""Configurations, about three for each parameter, below which the prior decides which minimum is taken."""

SEED = 0

PRIOR_SD = 1.4
"""Standard deviation of a parameter's logarithm: within a factor of ten either way (90 %)."""


def fit_best(operation: str, configurations: Configurations, settings: FitSettings) -> MechanismFit:
    """The best of several fits, where the data is little; of a dense sweep, the fit from the specification.

    With a hundred configurations the cost has several minima: how much the write-combining buffer amplifies, and how
    many streams fill it, can stand in for each other within 0.5 % of bandwidth while each is off by a third. They lie
    too far apart for starts near the first fit (`studies/truth.py`: devices whose parameters are known). All
    starts have the weak prior: the stronger one would choose among minima that the data tell apart.
    """
    first = _first_fit(operation, configurations, settings)
    if not settings.few or len(configurations) < LEAST_CONFIGURATIONS:
        return first
    low, high = bounds_of(first.free)
    values = start_values(operation)
    middle = np.log([values[name] for name in first.free])
    rng = np.random.default_rng(SEED)
    first = _with_weak_prior(first, configurations)
    fits = [first]
    for _ in range(STARTS):
        logs = np.clip(middle + START_SD * rng.standard_normal(middle.size), low, high)
        start = replace(first, logs=logs)
        fits.append(fit_mechanism(operation, configurations, start, max_evaluations=START_EVALUATIONS))
    return _with_weak_prior(min(fits, key=lambda fit: fit.cost), configurations)


def _first_fit(operation: str, configurations: Configurations, settings: FitSettings) -> MechanismFit:
    """The fit from the specification, with what prefetchers read ahead where loads are met better with it.

    Few loads alone are so fitted: a dense sweep measured the sizes that prefetchers slow down.
    """
    fit = fit_mechanism(operation, configurations, settings=settings)
    sizes = configurations.access_size_bytes[configurations.random]
    if operation != "load" or not settings.read_ahead or not np.any((sizes > FOLLOWED_BYTES) & (sizes < PAGE_BYTES)):
        return fit
    switched = replace(settings, held={**settings.held, READ_AHEAD: LINES_AHEAD})
    return min((fit, fit_mechanism(operation, configurations, settings=switched)), key=lambda each: each.cost)


def _with_weak_prior(fit: MechanismFit, configurations: Configurations) -> MechanismFit:
    """The fit continued with the prior that `PRIOR_SD` means at the data's scatter, where that is the weaker one.

    A weight counts against the scatter: what holds a device that the law misses by 5 % draws one that it meets within
    0.5 % towards the start by more than its intervals are wide.
    """
    misses = fit.log_bandwidth(configurations) - np.log(configurations.bandwidth_mib_s)
    scatter = np.sqrt(np.sum(misses**2) / max(misses.size - len(fit.free), 1))
    weight = min(fit.settings.prior_weight, float(scatter) / PRIOR_SD)
    settings = replace(fit.settings, prior_weight=weight)
    return fit_mechanism(fit.operation, configurations, fit, settings=settings)
