"""Errors of predictions as percentages."""

from __future__ import annotations

import numpy as np


def ape(log_error: np.ndarray) -> list[float]:
    """[median, mean, 90th percentile] of the absolute percentage error, rounded to 0.01."""
    percent = 100.0 * np.abs(np.expm1(log_error))
    return [round(float(value), 2) for value in (np.median(percent), percent.mean(), np.quantile(percent, 0.9))]
