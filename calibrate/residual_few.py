"""The residual of a device with few configurations: a process that learns its scales.

For a sweep of thousands of rows the scales are fixed (`pmtwin.calibrate.residual`). With a hundred rows of a new device
the size and smoothness of the mechanism's errors are unknown: size, noise and length scales maximise the marginal
likelihood (Rasmussen and Williams, "Gaussian Processes for Machine Learning", section 5.4.1), without data kept aside.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit
from pmtwin.calibrate.residual import ResidualProcess, coordinates_of

SIGMA, SIGMA_BOUNDS = 0.05, (0.005, 1.0)
NOISE, NOISE_BOUNDS = 0.01, (0.003, 0.1)
"""Standard deviations of log bandwidth, start values and bounds: of the mechanism's errors, and of noise."""

SCALES, SCALE_BOUNDS = (1.0, 3.0, 1.5, 0.6, 1.1), (0.3, 30.0)
"""Length scales along `pmtwin.calibrate.residual.coordinates`: start values and bounds."""

JITTER = 1e-8


class FewProcess(ResidualProcess):
    """A Gaussian process on log(measured / mechanism) that chooses its hyperparameters.

    Args:
        configurations: of one operation.
        log_ratio: logarithm of measured over mechanism, shape (configurations,).
    """

    def __init__(self, configurations: Configurations, log_ratio: np.ndarray):
        size = ConstantKernel(SIGMA**2, tuple(bound**2 for bound in SIGMA_BOUNDS))
        kernel = size * Matern(SCALES, SCALE_BOUNDS, nu=1.5)
        kernel += WhiteKernel(NOISE**2, tuple(bound**2 for bound in NOISE_BOUNDS))
        process = GaussianProcessRegressor(kernel, alpha=JITTER, copy_X_train=False)
        with warnings.catch_warnings():
            # a scale on its bound is valid: the residual does not vary along the axis, or neighbours are unrelated
            warnings.simplefilter("ignore", ConvergenceWarning)
            self._process = process.fit(coordinates_of(configurations), log_ratio)


def residual_process(fit: MechanismFit, configurations: Configurations) -> ResidualProcess:
    """Residual of the mechanism on the configurations, by the process that suits their number."""
    log_ratio = np.log(configurations.bandwidth_mib_s) - fit.log_bandwidth(configurations)
    return (FewProcess if fit.settings.few else ResidualProcess)(configurations, log_ratio)
