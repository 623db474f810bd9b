"""Features of a linear model from a state: logarithm, scaler, polynomial, scaler.

The thesis (section 3.4.3) standardises the state and applies polynomial preprocessing. Gradient descent needs three
more steps:

- counts and sizes enter as log2(1 + x) (`log_columns`), since they span orders of magnitude;
- standardised columns are clipped to `CLIP` standard deviations, so that the third power of a state outside the
  training data cannot dominate;
- terms are standardised again and divided by sqrt(terms / columns), so that one eta0 is stable at every degree.

Order and arithmetic of the terms equal `sklearn.preprocessing.PolynomialFeatures` without the bias column: degree 1, 2,
3 of 8 columns give 8, 44, 164 terms, lower degrees first, so that a model of lower degree uses a prefix.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.control.normalization import CLIP
from pmtwin.sim.errors import InputError

MAX_DEGREE = 3

MOMENT_COLUMNS = 8
"""Smallest number of columns whose deviation is computed at a time."""


def term_columns(columns: int, degree: int) -> list[tuple[int, ...]]:
    """The columns multiplied in each term, in the order of scikit-learn without the bias term."""
    return [term for d in range(1, degree + 1) for term in combinations_with_replacement(range(columns), d)]


@njit(cache=True)
def standardised(state, columns):
    """The columns of a state after logarithm, scaler and clip: float64, shape (columns,)."""
    out = np.empty(state.shape[0])
    for i in range(out.shape[0]):
        value = math.log2(1.0 + max(state[i], 0.0)) if columns[0, i] != 0.0 else state[i]
        out[i] = min(max((value - columns[1, i]) / columns[2, i], -CLIP), CLIP)
    return out


@njit(cache=True, inner=True)
def _expand(z, recurrence, out):
    """out[k] = z[first[k]] * out[rest[k]]; a term of degree 1 has no rest (-1)."""
    for k in range(out.shape[0]):
        value, rest = z[recurrence[0, k]], recurrence[1, k]
        out[k] = value if rest < 0 else value * out[rest]


@njit(cache=True)
def features_of(state, columns, recurrence, terms, out):
    """Write the features of one state into `out`; the other arguments come from `FeatureMap.compiled_arguments`."""
    _expand(standardised(state, columns), recurrence, out)
    for k in range(out.shape[0]):
        out[k] = (out[k] - terms[0, k]) / terms[1, k]


@dataclass(frozen=True)
class FeatureMap:
    """A fitted map from states to features; made by `FeatureMap.fit`.

    Args:
        degree: degree of the polynomial, 1 to 3.
        log_columns: bool, shape (columns,): which columns of the state enter as log2(1 + x).
        mean, scale: float64, shape (columns,): mean and deviation of the columns, after the logarithm, over the
            training data.
        term_mean, term_scale: float64, shape (terms,): the same of the polynomial's terms; `term_scale` is the
            deviation times sqrt(terms / columns).
    """

    degree: int
    log_columns: np.ndarray
    mean: np.ndarray
    scale: np.ndarray
    term_mean: np.ndarray
    term_scale: np.ndarray

    def __post_init__(self):
        if self.degree not in range(1, MAX_DEGREE + 1):
            raise InputError("degree", self.degree, f"1 to {MAX_DEGREE}")
        columns, terms = len(self.mean), feature_count(len(self.mean), self.degree)
        shapes = {"log_columns": columns, "scale": columns, "term_mean": terms, "term_scale": terms}
        for name, length in shapes.items():
            if np.shape(getattr(self, name)) != (length,):
                raise InputError(name, f"shape {np.shape(getattr(self, name))}", f"shape ({length},)")
        for name in ("mean", "scale", "term_mean", "term_scale"):
            if not np.all(np.isfinite(getattr(self, name))):
                raise InputError(name, "not finite", "finite numbers")
        if not (np.all(self.scale > 0) and np.all(self.term_scale > 0)):
            raise InputError("scale", "not positive", "positive numbers")

    @property
    def feature_count(self) -> int:
        """Number of features."""
        return len(self.term_mean)

    def compiled_arguments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Arguments of `features_of`, packed into few arrays, since each array costs time per call.

        Returns:
            columns: float64, shape (3, columns): logarithm or not, mean, scale.
            recurrence: int64, shape (2, terms): first column of a term, index of the term of its other columns (-1 if
                there are none).
            terms: float64, shape (2, terms): mean, scale.
        """
        columns = np.array([self.log_columns, self.mean, self.scale], dtype=float)
        return columns, _recurrence(len(self.mean), self.degree), np.array([self.term_mean, self.term_scale])

    def transform(self, states: np.ndarray) -> np.ndarray:
        """Features of many states: float64, shape (states, features)."""
        states = np.ascontiguousarray(states, dtype=float)
        out = np.empty((len(states), self.feature_count))
        _transform(states, *self.compiled_arguments(), out)
        return out

    def to_dict(self) -> dict:
        """The map as plain values: `clip`, `columns`, and `terms` as products of a column and an earlier term."""
        columns = zip(self.log_columns.tolist(), self.mean.tolist(), self.scale.tolist(), strict=True)
        first, rest = _recurrence(len(self.mean), self.degree).tolist()
        terms = zip(first, rest, self.term_mean.tolist(), self.term_scale.tolist(), strict=True)
        return {
            "clip": CLIP,
            "columns": [dict(zip(("log", "mean", "scale"), column, strict=True)) for column in columns],
            "terms": [dict(zip(("first", "rest", "mean", "scale"), term, strict=True)) for term in terms],
        }

    @classmethod
    def fit(cls, states: np.ndarray, degree: int, log_columns: tuple[bool, ...]) -> FeatureMap:
        """The map with means and scales of states, shape (states, columns); constant columns or terms get the scale 1.

        Args:
            log_columns: which columns enter as logarithms.
        """
        states = np.ascontiguousarray(states, dtype=float)
        columns = states.shape[1]
        logs = np.array(log_columns, dtype=bool)
        terms = feature_count(columns, degree)
        raw = cls(degree, logs, np.zeros(columns), np.ones(columns), np.zeros(terms), np.ones(terms))
        logged = np.where(logs, np.log2(1.0 + np.maximum(states, 0.0)), states)
        mean, scale = _moments(logged)
        unscaled = cls(degree, logs, mean, scale, raw.term_mean, raw.term_scale).transform(states)
        term_mean, deviation = _moments(unscaled)
        return cls(degree, logs, mean, scale, term_mean, deviation * math.sqrt(terms / columns))


@njit(cache=True)
def _transform(states, columns, recurrence, terms, out):
    for i in range(states.shape[0]):
        features_of(states[i], columns, recurrence, terms, out[i])


def feature_count(columns: int, degree: int) -> int:
    """Number of terms of degree 1 to `degree` in a number of columns."""
    return math.comb(columns + degree, degree) - 1


def _recurrence(columns: int, degree: int) -> np.ndarray:
    """For each term its first column, and the index of the term of the other columns (-1: none)."""
    terms = term_columns(columns, degree)
    index = {term: k for k, term in enumerate(terms)}
    return np.array([[term[0] for term in terms], [index.get(term[1:], -1) for term in terms]])


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column; rounding noise around a constant counts as constant."""
    mean = values.mean(axis=0)
    # A few columns at a time, since numpy's deviation of all columns copies the values. Never a single column, which
    # numpy would add up in another order.
    blocks = np.array_split(values, max(1, values.shape[1] // MOMENT_COLUMNS), axis=1)
    deviation = np.concatenate([block.std(axis=0) for block in blocks])
    constant = deviation <= 1e-12 * np.maximum(1.0, np.abs(mean))
    return mean, np.where(constant, 1.0, deviation)
