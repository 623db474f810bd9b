"""Fitting the mechanistic law of one operation: least squares of logarithms with a robust loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.specification import FIXED, free_names, start_values
from pmtwin.sim.device import law
from pmtwin.sim.device.parameters import LAW_PARAMETERS
from pmtwin.sim.device.power import power_factor
from pmtwin.sim.device.write_combining import amplification

WRITE_RATIO_WEIGHT = 0.1
"""Weight of measured effective write ratios, relative to bandwidths; it is small since some ratios are wrong."""

BOUND_MARGIN = 0.01
"""Distance (in logarithms) from a bound within which a parameter is not identified."""


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit.

    Args:
        loss_scale: residuals of log bandwidth above this count linearly, so that a misread row has little effect.
        prior_weight: weight of a parameter's distance (in logarithms) from its start value, which keeps parameters that
            the data do not identify.
        held: parameter -> fixed value, in addition to the fixed ones of the specification.
        few: whether there are few data, so that the residual learns its scales (`pmtwin.calibrate.residual_few`).
        read_ahead: whether prefetchers may have been on (`pmtwin.calibrate.multistart`).
    """

    loss_scale: float = 0.03
    prior_weight: float = 0.002
    held: Mapping[str, float] = field(default_factory=dict)
    few: bool = False
    read_ahead: bool = False


DENSE = FitSettings()
"""Settings for a sweep with many configurations."""


@dataclass(frozen=True)
class MechanismFit:
    """The fitted law of one operation.

    Args:
        parameters: values of all `LAW_PARAMETERS`.
        free: names of the fitted parameters.
        logs: logarithms of the fitted parameters, in the order of `free`.
        settings: settings of the fit, and of fits that continue it.
        cost: minimum of the fit: half the sum of weighted squares, with the robust loss and the prior.
    """

    operation: str
    parameters: dict[str, float]
    free: list[str]
    logs: np.ndarray
    settings: FitSettings = DENSE
    cost: float = math.nan

    def log_bandwidth(self, configurations: Configurations) -> np.ndarray:
        """Logarithm of the law's bandwidth in MiB/s, shape (configurations,)."""
        return np.log(_bandwidth(self.parameters, configurations))

    def on_bound(self) -> list[str]:
        """Fitted parameters that are on a bound, which the data do not identify."""
        low, high = bounds_of(self.free)
        is_on_bound = (self.logs - low < BOUND_MARGIN) | (high - self.logs < BOUND_MARGIN)
        return [name for name, on_bound in zip(self.free, is_on_bound, strict=True) if on_bound]


def fit_mechanism(
    operation: str,
    configurations: Configurations,
    start: MechanismFit | None = None,
    weights: np.ndarray | None = None,
    max_evaluations: int = 400,
    settings: FitSettings | None = None,
) -> MechanismFit:
    """Fit the law of one operation to its configurations.

    Args:
        start: a fit to continue, for a fold or a bootstrap replicate; None: start from the specification.
        weights: weight of each configuration, shape (configurations,); None: 1.
        max_evaluations: largest number of evaluations of the law, without those for derivatives.
        settings: None: those of `start`, or `DENSE`.
    """
    from scipy.optimize import least_squares

    settings = settings or (start.settings if start else DENSE)
    free = start.free if start else free_names(operation, np.unique(configurations.power_w).size > 1)
    free = [name for name in free if name not in settings.held]
    values = start_values(operation) | dict(settings.held)
    prior = np.log([values[name] for name in free])
    low, high = bounds_of(free)
    first = np.clip(start.logs if start else prior, low + 1e-6, high - 1e-6)
    roots = np.ones(len(configurations)) if weights is None else np.sqrt(weights)
    log_measured = np.log(configurations.bandwidth_mib_s)
    ratio = _usable_ratio(operation, configurations)
    with_ratio = configurations.take(ratio)
    ratio_roots = WRITE_RATIO_WEIGHT * roots[ratio]

    def residuals(logs: np.ndarray) -> np.ndarray:
        parameters = values | dict(zip(free, np.exp(logs), strict=True))
        bandwidth = roots * (np.log(_bandwidth(parameters, configurations)) - log_measured)
        write_ratio = ratio_roots * _ratio_residuals(parameters, with_ratio) if ratio.size else ratio_roots
        return np.concatenate([bandwidth, write_ratio, settings.prior_weight * (logs - prior)])

    solution = least_squares(
        residuals, first, bounds=(low, high), loss="soft_l1", f_scale=settings.loss_scale, max_nfev=max_evaluations
    )
    parameters = values | {name: float(value) for name, value in zip(free, np.exp(solution.x), strict=True)}
    return MechanismFit(operation, parameters, free, solution.x, settings, float(solution.cost))


def bounds_of(free: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """(lower bounds, upper bounds) of parameters' logarithms in a fit, shape (parameters,) each."""
    parameters = [LAW_PARAMETERS[name] for name in free]
    return np.log([p.low for p in parameters]), np.log([p.high for p in parameters])


def _bandwidth(parameters: dict[str, float], c: Configurations) -> np.ndarray:
    return law.bandwidth_mib_s(parameters, c.random, c.access_size_bytes, c.threads, c.dimms, c.power_w)


def _usable_ratio(operation: str, configurations: Configurations) -> np.ndarray:
    """Indices of the configurations with an informative effective write ratio: writes through the buffer."""
    fixed = FIXED[operation].get("worst_amplification") == 1.0
    return np.flatnonzero(np.isfinite(configurations.effective_write_ratio) & (not fixed))


def _ratio_residuals(parameters: dict[str, float], c: Configurations) -> np.ndarray:
    power = power_factor(parameters, c.power_w)
    modelled = amplification(parameters, c.random, c.access_size_bytes, c.threads, c.dimms, power)
    return -np.log(modelled) - np.log(np.minimum(c.effective_write_ratio, 1.0))
