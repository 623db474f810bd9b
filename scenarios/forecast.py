"""What a predictive controller asks of a scenario: a model's forecast of the coming window, at every setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Forecast(NamedTuple):
    """Of the coming window.

    Fields:
        measures: name -> values, shape (loads, settings): at loads that may come, the likeliest last.
        settled: whether the last window had no backlog, so that it can be held against the forecast.
    """

    measures: Mapping[str, np.ndarray]
    settled: bool


class Forecaster(ABC):
    """A model of the system under control that follows it window by window; one object for a run."""

    @abstractmethod
    def forecast(self, observation: np.ndarray, info: Mapping[str, float], settings: np.ndarray) -> Forecast:
        """What the coming window would show at each setting.

        Args:
            observation: after the last window. info: its measures. settings: shape (n, numbers), the same each time.
        """
