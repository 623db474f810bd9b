"""The law of one operation as a regressor in scikit-learn's conventions, for cross_val_score, GridSearchCV and others.

    >>> from pmtwin.calibrate.estimators import BandwidthRegressor, features_of
    >>> regressor = BandwidthRegressor("load").fit(features_of(configurations), configurations.bandwidth_mib_s)

What `pmtwin calibrate` fits and cross-validates is this regressor.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import FitSettings, MechanismFit, fit_mechanism
from pmtwin.calibrate.residual import coordinates_of
from pmtwin.calibrate.residual_few import residual_process
from pmtwin.calibrate.settings import fit_settings
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MOST_DIMMS
from pmtwin.sim.device.law import OPERATIONS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.errors import InputError, unknown_name

FEATURES = ("random", "access_size_bytes", "threads", "dimms", "power_w")
"""Columns of X. Columns at the end may be absent; `DEFAULTS` has their values."""

LOWEST = (0.0, 1.0, 0.01, 1.0, 1.0)
HIGHEST = (1.0, float(1 << 26), 512.0, float(MOST_DIMMS), 100.0)
"""The law's domain; values outside are set to its ends."""

DEFAULTS = (1.0, 256.0, 1.0, float(FULL_SET_DIMMS), REFERENCE_POWER_W)


class BandwidthRegressor(RegressorMixin, BaseEstimator):
    """Total bandwidth in MiB/s of one operation from its configuration: the mechanistic law and a small residual.

    Args:
        operation: load, ntstore, store_clwb or store.
        media: kind of memory, "pmem", "dram" or another; it determines the size of a media line.
        residual: whether a Gaussian process corrects the mechanism.
        loss_scale, prior_weight: of `pmtwin.calibrate.mechanism.FitSettings`; None: by the amount of data.
        max_evaluations: largest number of evaluations of the law in the fit.
        start: a `MechanismFit` to continue, with its settings; None: the fit starts from the specification.

    Attributes:
        mechanism_: the fitted `MechanismFit`.
        residual_: the fitted process, or None.
        n_features_in_: columns of X.
    """

    def __init__(
        self,
        operation: str = "load",
        media: str = "pmem",
        residual: bool = True,
        loss_scale: float | None = None,
        prior_weight: float | None = None,
        max_evaluations: int = 400,
        start: MechanismFit | None = None,
    ):
        self.operation = operation
        self.media = media
        self.residual = residual
        self.loss_scale = loss_scale
        self.prior_weight = prior_weight
        self.max_evaluations = max_evaluations
        self.start = start

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        sample_weight: np.ndarray | None = None,
        effective_write_ratio: np.ndarray | None = None,
    ):
        """Fit law and residual.

        Args:
            X: shape (n, 1 to 5), columns as `FEATURES`.
            y: bandwidth in MiB/s, shape (n,), positive.
            sample_weight: weight of each configuration in the fit of the mechanism, shape (n,). The residual leaves out
                those with weight 0 and ignores the other weights: a repeated row would be evidence that measurements
                have no noise.
            effective_write_ratio: measured values, NaN if there is none, shape (n,).

        Raises:
            InputError: an unknown operation.
            ValueError: wrong data, such as a bandwidth that is not positive (`InputError` is a `ValueError`, too).
        """
        if self.operation not in OPERATIONS:
            raise unknown_name("operation", self.operation, OPERATIONS)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        if np.any(y <= 0):
            raise ValueError("y: bandwidths must be positive")
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        configurations = configurations_of(self.operation, X, y, effective_write_ratio)
        if weights is not None:
            configurations, weights = configurations.take(weights > 0), weights[weights > 0]
        settings = None if self.start else self._settings(configurations)
        self.mechanism_ = fit_mechanism(
            self.operation, configurations, self.start, weights, self.max_evaluations, settings
        )
        self.residual_ = None
        if self.residual:
            self.residual_ = residual_process(self.mechanism_, configurations)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Bandwidth in MiB/s, shape (n,)."""
        return np.exp(self.predict_log(X)[0])

    def predict_log(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(logarithm of the bandwidth, its standard deviation or NaN without a residual), shape (n,) each."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        configurations = configurations_of(self.operation, X, np.ones(len(X)))
        log_bandwidth = self.mechanism_.log_bandwidth(configurations)
        if self.residual_ is None:
            return log_bandwidth, np.full(len(X), np.nan)
        correction, deviation = self.residual_.predict(coordinates_of(configurations))
        return log_bandwidth + correction, deviation

    def _settings(self, configurations: Configurations) -> FitSettings:
        suited = fit_settings(configurations, self.media)
        return FitSettings(
            suited.loss_scale if self.loss_scale is None else self.loss_scale,
            suited.prior_weight if self.prior_weight is None else self.prior_weight,
            suited.held,
            suited.few,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.target_tags.positive_only = True
        return tags


def features_of(configurations: Configurations) -> np.ndarray:
    """X of configurations, shape (configurations, 5)."""
    return np.column_stack([np.asarray(getattr(configurations, name), dtype=float) for name in FEATURES])


def configurations_of(
    operation: str, X: np.ndarray, y: np.ndarray, effective_write_ratio: np.ndarray | None = None
) -> Configurations:
    """Configurations from X (columns as `FEATURES`) and bandwidths.

    Raises:
        InputError: more columns than features.
        ValueError: a negative value.
    """
    if X.shape[1] > len(FEATURES):
        raise InputError("X", f"{X.shape[1]} columns", f"1 to {len(FEATURES)} columns: {', '.join(FEATURES)}")
    if np.any(X < 0):
        raise ValueError("Negative values in data passed to BandwidthRegressor: all features are positive")
    features = np.tile(DEFAULTS, (len(X), 1))
    features[:, : X.shape[1]] = X
    columns = dict(zip(FEATURES, np.clip(features, LOWEST, HIGHEST).T, strict=True))
    random = columns.pop("random") >= 0.5
    ratio = np.full(len(X), np.nan) if effective_write_ratio is None else np.asarray(effective_write_ratio, dtype=float)
    return Configurations(
        operation=np.full(len(X), operation),
        pattern=np.where(random, "random", "sequential"),
        bandwidth_mib_s=y,
        effective_write_ratio=ratio,
        replicates=np.ones(len(X), dtype=int),
        **columns,
    )
