"""Stochastic gradient descent for several linear models, compiled: the arithmetic of scikit-learn for one sample.

`partial_fit` does to one column of `weights` what `sklearn.linear_model.SGDRegressor.partial_fit` (1.9,
`_sgd_fast.pyx`, `_weight_vector.pyx`) does to `coef_`, `intercept_` and `t_` for one sample, bit for bit, at a
thousandth of the cost per call. Details that equality depends on:

- the dot product is sequential, in the order of the features (scikit-learn's `predict`, in contrast, is BLAS);
- no fused multiply-add (no `fastmath`);
- weights are a vector times a scale; the l2 penalty shrinks the scale, which is folded in when it falls below 1e-9,
  and at the end of every call; an update is divided by the scale before it is added;
- the gradient of the loss is clipped at 1e12;
- `optimal` takes its first rate from the gradient at (y = 1, prediction = -typw), which for every loss of regression
  is negative, so that max(1, gradient) = 1;
- the cumulative l1 penalty starts again from zero in every call.

Weights are stored feature-major, shape (features, models), so that one pass over the features serves the predictions
of all models in vector registers while each model still adds in sequence.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np

from pmtwin.sim.compiling import njit
from pmtwin.sim.errors import InputError, check_range, unknown_name

LOSSES = ("squared_error", "huber", "epsilon_insensitive")
PENALTIES = ("l2", "l1", "elasticnet")
LEARNING_RATES = ("constant", "optimal", "invscaling")

_HUBER, _EPSILON_INSENSITIVE = 1, 2
_L2, _L1, _ELASTICNET = 0, 1, 2
_CONSTANT, _OPTIMAL, _INVSCALING = 0, 1, 2

MAX_GRADIENT = 1e12
SCALE_RESET = 1e-9


@dataclass(frozen=True)
class SgdSettings:
    """Hyperparameters of one model, with the names and defaults of `SGDRegressor`.

    Args:
        loss: one of `LOSSES` ("squared" of Table D.1 is squared_error).
        penalty: one of `PENALTIES`.
        alpha: weight of the penalty; also in the rate of `optimal`.
        learning_rate: one of `LEARNING_RATES`.
        eta0: initial rate of `constant` and `invscaling`.
        power_t: exponent of `invscaling`: eta = eta0 / t ** power_t.
        l1_ratio: share of l1 in `elasticnet`.
        epsilon: width of the losses `huber` and `epsilon_insensitive`.
    """

    loss: str = "squared_error"
    penalty: str = "l2"
    alpha: float = 0.0001
    learning_rate: str = "invscaling"
    eta0: float = 0.01
    power_t: float = 0.25
    l1_ratio: float = 0.15
    epsilon: float = 0.1

    def __post_init__(self):
        for field, known in (("loss", LOSSES), ("penalty", PENALTIES), ("learning_rate", LEARNING_RATES)):
            if getattr(self, field) not in known:
                raise unknown_name(field, getattr(self, field), known)
        check_range("alpha", self.alpha, 0.0, 1e6)
        check_range("eta0", self.eta0, 1e-12, 1e6)
        check_range("power_t", self.power_t, 0.0, 10.0)
        check_range("l1_ratio", self.l1_ratio, 0.0, 1.0)
        check_range("epsilon", self.epsilon, 0.0, 1e12)
        if self.learning_rate == "optimal" and self.alpha == 0.0:
            raise InputError("alpha", self.alpha, "more than 0 with the learning rate 'optimal'")

    def sklearn_arguments(self) -> dict:
        """Keyword arguments that make the same `SGDRegressor`."""
        return asdict(self)

    def as_row(self) -> np.ndarray:
        """The settings as `partial_fit` reads them: float64, shape (9,)."""
        l1_ratio = {"l2": 0.0, "l1": 1.0}.get(self.penalty, self.l1_ratio)
        optimal_start = 0.0
        if self.learning_rate == "optimal":
            typical_weight = math.sqrt(1.0 / math.sqrt(self.alpha))
            gradient = _gradient(LOSSES.index(self.loss), self.epsilon, 1.0, -typical_weight)
            optimal_start = 1.0 / (typical_weight / max(1.0, gradient) * self.alpha)
        codes = (LOSSES.index(self.loss), PENALTIES.index(self.penalty), LEARNING_RATES.index(self.learning_rate))
        return np.array([*codes, self.alpha, l1_ratio, self.epsilon, self.eta0, self.power_t, optimal_start])


@njit(cache=True)
def _gradient(loss, epsilon, y, prediction):
    """Derivative of the loss with respect to the prediction."""
    residual = prediction - y
    if loss == _HUBER:
        if abs(residual) <= epsilon:
            return residual
        return epsilon if residual >= 0 else -epsilon
    if loss == _EPSILON_INSENSITIVE:
        if y - prediction > epsilon:
            return -1.0
        return 1.0 if residual > epsilon else 0.0
    return residual


@njit(cache=True, inner=True)
def _rate(kind, row, t):
    """Step size of update number t, t counted from 1."""
    if kind == _OPTIMAL:
        return 1.0 / (row[3] * (row[8] + t - 1))
    if kind == _INVSCALING:
        return row[6] / math.pow(t, row[7])
    return row[6]


@njit(cache=True)
def predict_one(weights, intercepts, model, x, features):
    """Prediction of one model: the sequential dot product over the first `features` of x, plus the intercept."""
    total = 0.0
    for j in range(features):
        total += weights[j, model] * x[j]
    return total + intercepts[model]


@njit(cache=True)
def predict_all(weights, intercepts, x, out):
    """Predictions of all models into `out`; models of fewer features have zero weights for the rest."""
    out[:] = 0.0
    for j in range(weights.shape[0]):
        for model in range(weights.shape[1]):
            out[model] += weights[j, model] * x[j]
    for model in range(weights.shape[1]):
        out[model] += intercepts[model]


@njit(cache=True)
def partial_fit(weights, intercepts, counts, rows, features, model, x, y):
    """A stochastic gradient step of one model on the sample (x, y), in place.

    Args:
        weights: float64, shape (most features, models).
        intercepts: float64, shape (models,).
        counts: float64, shape (models,): `t_` of scikit-learn, 1 plus the updates made.
        rows: float64, shape (models, 9): `SgdSettings.as_row` of each model.
        features: int64, shape (models,): features that each model uses, the first ones of x.
        model: column to update.
        x: float64, shape (most features,).
        y: target.
    """
    row = rows[model]
    loss, penalty, kind = int(row[0]), int(row[1]), int(row[2])
    alpha, l1_ratio = row[3], row[4]
    n = features[model]
    prediction = predict_one(weights, intercepts, model, x, n)
    eta = _rate(kind, row, counts[model])
    gradient = _gradient(loss, row[5], y, prediction)
    if gradient < -MAX_GRADIENT:
        gradient = -MAX_GRADIENT
    elif gradient > MAX_GRADIENT:
        gradient = MAX_GRADIENT
    update = -eta * gradient

    scale = 1.0
    if penalty != _L1:
        scale *= max(0.0, 1.0 - ((1.0 - l1_ratio) * eta * alpha))
        if scale < SCALE_RESET:
            _multiply(weights, model, n, scale)
            scale = 1.0
    if update != 0.0:
        step = update / scale
        for j in range(n):
            weights[j, model] += x[j] * step
        intercepts[model] += update
    if penalty != _L2:
        _shrink(weights, model, n, scale, l1_ratio * eta * alpha)
    counts[model] += 1.0
    if scale != 1.0:
        _multiply(weights, model, n, scale)


@njit(cache=True, inner=True)
def _multiply(weights, model, n, factor):
    for j in range(n):
        weights[j, model] *= factor


@njit(cache=True, inner=True)
def _shrink(weights, model, n, scale, penalty):
    """Truncated l1 penalty (Tsuruoka et al. 2009); its cumulative sums are zero at the start of each call."""
    for j in range(n):
        weight = weights[j, model]
        if scale * weight > 0.0:
            weights[j, model] = max(0.0, weight - penalty / scale)
        elif scale * weight < 0.0:
            weights[j, model] = min(0.0, weight + penalty / scale)
