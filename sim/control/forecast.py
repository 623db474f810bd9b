"""Forecasts for a predictive controller: a model's forecast of the coming window, at every setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Forecast(NamedTuple):
    """A forecast of the coming window, at loads that may come.

    Fields:
        measures: name -> values, shape (loads, settings).
        left: share of the urgent work that the window leaves to later windows, shape (loads, settings).
        weights: weights of the loads, shape (loads,), with sum 1.
        errors: name -> relative error of a measure, the scale of a logistic distribution.
    """

    measures: Mapping[str, np.ndarray]
    left: np.ndarray
    weights: np.ndarray
    errors: Mapping[str, float]


class Forecaster(ABC):
    """A model of the system under control that follows it window by window; one object for a run."""

    @abstractmethod
    def forecast(self, observation: np.ndarray, info: Mapping[str, float], settings: np.ndarray) -> Forecast:
        """The forecast of the coming window at each setting.

        Args:
            observation: after the last window. info: its measures. settings: shape (n, numbers).
        """
