"""What the fitted model does not know yet: mechanism and residual of one operation as one Gaussian process.

The model of `calibrate` is the law f(x; p) and a process g on what it misses. Around the fit the law is linear in the
logarithms of its parameters, f + J dp, so that with a normal prior of dp both together are one process with the
covariance J P J' + k, k being the residual's own kernel with the scales that it has learned. From it follow, in closed
form, the variance at every configuration, by how much each further measurement would lower it, and the error that each
measurement would have had if it had been kept aside. Refitting would tell the same and take a thousand times as long:
a probe has seconds.

Rasmussen and Williams, "Gaussian Processes for Machine Learning", sections 2.7 (a prior on parameters) and 5.4.2 (the
errors of data kept aside).
"""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.identification import jacobian_of
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit, fit_mechanism
from pmtwin.calibrate.multistart import PRIOR_SD
from pmtwin.calibrate.residual import coordinates_of
from pmtwin.calibrate.residual_few import residual_process
from pmtwin.calibrate.settings import fit_settings

REFIT_EVALUATIONS = 15
"""Of a mechanism that continues from the fit before."""

FIRST_EVALUATIONS = 60


class Surrogate:
    """The model of one operation, fitted to what is measured.

    Args:
        candidates: all configurations of the operation, measured or not.
        measured: index of those that are, shape (measured,).
        log_bandwidth: theirs, shape (measured,).
        media: kind of memory.
        before: the surrogate of fewer measurements, whose fit is continued.

    Attributes:
        fit: the mechanism.
        left_out_errors: log(predicted / measured) of each measured configuration from all the others.
    """

    def __init__(
        self,
        candidates: Configurations,
        measured: np.ndarray,
        log_bandwidth: np.ndarray,
        media: str,
        before: Surrogate | None = None,
    ):
        seen = _with_bandwidth(candidates.take(measured), log_bandwidth)
        self.fit = _refit(seen, media, before)
        process = residual_process(self.fit, seen)
        points, jacobian = coordinates_of(candidates), PRIOR_SD * jacobian_of(self.fit, candidates)
        known = process.covariance(points, points[measured]) + jacobian @ jacobian[measured].T
        self._noise = process.noise_variance
        inverse = np.linalg.inv(known[measured] + self._noise * np.eye(measured.size))
        weighted = inverse @ (log_bandwidth - self.fit.log_bandwidth(seen))
        self.left_out_errors = -weighted / np.diag(inverse)
        self._log_bandwidth = self.fit.log_bandwidth(candidates) + known @ weighted
        prior = process.covariance(points, points) + jacobian @ jacobian.T
        self._covariance = prior - known @ inverse @ known.T

    def log_bandwidth(self) -> np.ndarray:
        """Expected at all candidates, shape (candidates,)."""
        return self._log_bandwidth

    def deviations(self) -> np.ndarray:
        """Standard deviation of log bandwidth at all candidates, shape (candidates,)."""
        return np.sqrt(np.maximum(np.diag(self._covariance), 0.0) + self._noise)

    def gains(self) -> np.ndarray:
        """By how much measuring each candidate lowers the variance summed over all of them, shape (candidates,).

        Cohn, "Neural Network Exploration Using Optimal Experiment Design", Neural Networks 9 (1996); for Gaussian
        processes Seo et al., "Gaussian Process Regression: Active Data Selection and Test Point Rejection" (2000). A
        candidate at the rim of the data is uncertain itself but tells little of others: it has to earn its place.
        """
        return np.sum(self._covariance**2, axis=0) / (np.diag(self._covariance) + self._noise)

    def expect(self, candidate: int) -> None:
        """Take a candidate as measured: variances do not depend on what the measurement will say."""
        column = self._covariance[:, candidate]
        self._covariance = self._covariance - np.outer(column, column) / (column[candidate] + self._noise)


def _with_bandwidth(configurations: Configurations, log_bandwidth: np.ndarray) -> Configurations:
    from dataclasses import replace

    return replace(configurations, bandwidth_mib_s=np.exp(log_bandwidth))


def _refit(seen: Configurations, media: str, before: Surrogate | None) -> MechanismFit:
    operation, settings = str(seen.operation[0]), fit_settings(seen, media)
    if before is None or before.fit.settings != settings:
        return fit_mechanism(operation, seen, settings=settings, max_evaluations=FIRST_EVALUATIONS)
    return fit_mechanism(operation, seen, before.fit, max_evaluations=REFIT_EVALUATIONS)
