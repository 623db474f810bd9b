"""Forecasts of the coming window at every setting, for a predictive controller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Forecast(NamedTuple):
    """A forecast of the coming window, at several possible loads.

    Fields:
        measures: name -> values, shape (loads, settings).
        left: share of the urgent work that the window leaves to later windows, shape (loads, settings).
        weights: probabilities of the loads, shape (loads,), with sum 1.
        errors: name of a measure -> its relative error, as the scale of a logistic distribution.
    """

    measures: Mapping[str, np.ndarray]
    left: np.ndarray
    weights: np.ndarray
    errors: Mapping[str, float]


class Forecaster(ABC):
    """A model that follows the system under control window by window; one object for each run."""

    @abstractmethod
    def forecast(self, observation: np.ndarray, info: Mapping[str, float], settings: np.ndarray) -> Forecast:
        """The forecast of the coming window at each setting.

        Args:
            observation: after the last window.
            info: name -> value of the measures of that window.
            settings: shape (n, numbers of a setting).
        """
