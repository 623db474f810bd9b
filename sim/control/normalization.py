"""Observations on a scale suited to neural networks, from the declarations of a scenario alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from pmtwin.sim.control.declared import LOG, Column, Goal, Measure
from pmtwin.sim.errors import InputError

CLIP = 3.0
"""Scaled numbers are clipped to +- this, so that values far from those in training cannot dominate."""

NEAR = 4.0
"""Factor between a goal and a value at distance 1 from it on the scale."""


class Normalization:
    """A map of each column from its bounds to -1 and 1, on a logarithmic scale if its `scale` is `log`.

    A measure with a goal is mapped, on a logarithmic scale, to 0 at the goal and to 1 at `NEAR` times the goal. Another
    measure is mapped, on a logarithmic scale, from its usual range to -1 and 1. Measures are clipped to +-`CLIP`.
    Nothing is estimated from data, so that an agent sees the same numbers in training and in use.

    Args:
        columns: columns of the observation.
        measures: measures, which follow the columns.
        goals: goals of the scenario.
        windows: number of consecutive windows in an observation.

    Attributes:
        scaling: float64, shape (3, windows * (columns + measures)): 1 for a logarithmic scale, else 0; middle and half
            width of the range, after the logarithm.
        bound: shape (windows * (columns + measures),): largest absolute value of each number.

    Raises:
        InputError: a column without finite bounds, or a measure without a goal and a usual range.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        measures: Sequence[Measure] = (),
        goals: Sequence[Goal] = (),
        windows: int = 1,
    ):
        limits = {goal.measure.name: goal.limit for goal in goals}
        rows = [_column_scale(column) for column in columns]
        rows += [_measure_scale(measure, limits.get(measure.name)) for measure in measures]
        self.scaling = np.array(rows * windows, dtype=float).T.copy()
        self.bound = np.array(([1.0] * len(columns) + [CLIP] * len(measures)) * windows)

    def observation(self, values: np.ndarray) -> np.ndarray:
        """Scaled observations, within `bound`; `values`: shape (..., numbers), columns within their bounds."""
        logged, middle, half = self.scaling
        scaled = (np.where(logged != 0.0, np.log2(1.0 + np.maximum(values, 0.0)), values) - middle) / half
        return scaled if np.all(self.bound == 1.0) else np.clip(scaled, -CLIP, CLIP)

    @staticmethod
    def reward(value: float | np.ndarray):
        """sign(r) log(1 + |r|), of a number or an array: a bad window does not drown a thousand good ones."""
        return np.sign(value) * np.log1p(np.abs(value))


def _column_scale(column: Column) -> tuple[bool, float, float]:
    if not np.all(np.isfinite([column.low, column.high])) or column.low >= column.high:
        bounds = f"column {column.name}, from {column.low} to {column.high}"
        raise InputError("normalize", bounds, "where every column has finite bounds, the lower one first")
    return _range_scale(column.low, column.high, column.scale == LOG)


def _measure_scale(measure: Measure, limit: float | None) -> tuple[bool, float, float]:
    if limit is not None and limit > 0.0:
        return True, _logged(limit), math.log2(NEAR)
    if measure.low is None or measure.high is None or not 0.0 <= measure.low < measure.high < math.inf:
        value = f"{measure.name}, low {measure.low}, high {measure.high}"
        allowed = "with normalize=True, a goal or a usual range of each, with 0 <= low < high"
        raise InputError("measures", value, allowed)
    return _range_scale(measure.low, measure.high, True)


def _range_scale(low: float, high: float, logged: bool) -> tuple[bool, float, float]:
    if logged:
        low, high = _logged(low), _logged(high)
    return logged, (high + low) / 2.0, (high - low) / 2.0


def _logged(value: float) -> float:
    return float(np.log2(1.0 + max(value, 0.0)))
