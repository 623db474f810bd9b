"""Observations and rewards on a scale that neural networks learn on, from the declared columns alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.sim.control import LOG, Column
from pmtwin.sim.errors import InputError


class Normalization:
    """A map of each column from its bounds to -1 and 1; a column whose `scale` is `log` by its logarithm.

    Nothing is estimated from data, so that an agent sees the same numbers in training and in use.

    Args:
        columns: of the observation.

    Attributes:
        scaling: float64, shape (3, columns): logarithm or not, middle and half of the range, after the logarithm.

    Raises:
        InputError: naming a column without finite bounds.
    """

    def __init__(self, columns: Sequence[Column]):
        for column in columns:
            if not np.all(np.isfinite([column.low, column.high])) or column.low >= column.high:
                bounds = f"column {column.name}, from {column.low} to {column.high}"
                raise InputError("normalize", bounds, "where every column has finite bounds, the lower one first")
        logged = np.array([column.scale == LOG for column in columns])
        low, high = (np.array([getattr(column, end) for column in columns], dtype=float) for end in ("low", "high"))
        low, high = _logged(low, logged), _logged(high, logged)
        self.scaling = np.array([logged, (high + low) / 2.0, (high - low) / 2.0], dtype=float)

    def observation(self, values: np.ndarray) -> np.ndarray:
        """Observations of shape (..., columns), within their bounds, as numbers from -1 to 1."""
        logged, middle, half = self.scaling
        return (_logged(values, logged != 0.0) - middle) / half

    @staticmethod
    def reward(value):
        """sign(r) log(1 + |r|), of a number or an array: a bad window does not drown a thousand good ones."""
        return np.sign(value) * np.log1p(np.abs(value))


def _logged(values: np.ndarray, logged: np.ndarray) -> np.ndarray:
    return np.where(logged, np.log2(1.0 + np.maximum(values, 0.0)), values)
