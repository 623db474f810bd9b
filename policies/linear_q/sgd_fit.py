"""Whole fits of many linear models side by side: `sklearn.linear_model.SGDRegressor.fit`, bit for bit, compiled.

A model selection fits every configuration of its grid to the same samples in the same order. scikit-learn (1.9) does so
one after another, and its sums are sequential: the processor waits for one addition where it could make eight. Here all
models of one penalty meet a sample together. Each has its own sums, in the order of scikit-learn, and the
processor works on several models at once. What makes equality hard, besides what `sgd.py` says:

- the samples are shuffled in each epoch with the same seed, beginning with the order of the epoch before;
- weights stay a vector times a scale from the first sample to the last, and the cumulative l1 penalty goes on;
- a fit ends after `PATIENCE` epochs whose objective is not by `TOLERANCE` below the least. The objective is the loss
  and the penalty, summed over the samples as they are met, with the norms after the last update, before its l1 penalty.

A fit with more epochs begins as the one with fewer does, so that it goes on from there; scikit-learn begins again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from pmtwin.policies.linear_q.sgd import (
    EPSILON_INSENSITIVE,
    HUBER,
    INVSCALING,
    L1,
    L2,
    MAX_GRADIENT,
    OPTIMAL,
    PENALTIES,
    SCALE_RESET,
    SgdSettings,
    loss_gradient,
)
from pmtwin.sim.compiling import njit

TOLERANCE = 1e-3
"""`tol` of scikit-learn."""

PATIENCE = 5
"""`n_iter_no_change` of scikit-learn."""

VECTOR = 16
"""Models are fitted in multiples of this: loops over fewer are not worth vectors to the compiler."""


class Fit(NamedTuple):
    """A fitted model.

    Fields:
        weights: float64, shape (features,): `coef_` of scikit-learn.
        intercept: `intercept_`.
        epochs: `n_iter_`.
        max_iter: the smallest of the allowed numbers of epochs with which the fit is this one.
    """

    weights: np.ndarray
    intercept: float
    epochs: int
    max_iter: int

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Predictions for samples, x of shape (samples, features); float64, shape (samples,)."""
        return x @ self.weights + self.intercept  # as scikit-learn does, so that the bits are the same


def fit_side_by_side(
    x: np.ndarray,
    y: np.ndarray,
    settings: Sequence[SgdSettings],
    max_iters: Sequence[int],
    seed: int,
    worth_more: Callable[[Fit], bool] = lambda fit: True,
) -> list[Fit | None]:
    """Fit a model with each of the settings to the same samples.

    Args:
        x: float64, shape (samples, features).
        y: float64, shape (samples,).
        settings: hyperparameters of each model.
        max_iters: numbers of epochs that a fit may take: with the smallest first, with a larger one if it has not
            converged.
        seed: `random_state` of scikit-learn.
        worth_more: whether a fit that was cut off goes on to the next larger number of epochs.

    Returns:
        A fit for each of the settings; None if it overflowed.
    """
    x = np.ascontiguousarray(x)
    shuffle_seed = int(np.random.RandomState(seed).randint(np.iinfo(np.int32).max))
    fits: list[Fit | None] = [None] * len(settings)
    for group in {(each.penalty, each.power_t) for each in settings}:
        members = [k for k, each in enumerate(settings) if (each.penalty, each.power_t) == group]
        models = _Models([settings[k] for k in members], members, x.shape[1])
        for number, fit in models.fit(x, y, sorted(max_iters), shuffle_seed, worth_more):
            fits[number] = fit
    return fits


class _Models:
    """Models of one penalty and one `power_t` that are not fitted yet; those that end are taken out.

    Attributes:
        weights: float64, shape (features, models), to be multiplied by `scale`.
        taken: float64, shape (features, models): what the l1 penalty has taken of each weight.
        intercept, scale, square, absolute, due, objective: float64, shape (models,): `square` and `absolute` are the
            squared l2 norm and the l1 norm, `due` the l1 penalty up to now, `objective` the sum of this epoch.
        best, stale: shape (models,): the least objective up to now, and the epochs since it fell enough.
    """

    _BY_MODEL = ("intercept", "scale", "square", "absolute", "due", "objective")

    def __init__(self, settings: list[SgdSettings], numbers: list[int], features: int):
        self.penalty, self.numbers = PENALTIES.index(settings[0].penalty), np.array(numbers)
        self.rows = np.array([each.as_row() for each in settings])
        self.weights, self.taken = np.zeros((features, len(settings))), np.zeros((features, len(settings)))
        for name in self._BY_MODEL:
            setattr(self, name, np.zeros(len(settings)))
        self.scale += 1.0
        self.best, self.stale = np.full(len(settings), np.inf), np.zeros(len(settings), dtype=int)
        self._keep(np.arange(len(settings)))

    def fit(self, x, y, max_iters, shuffle_seed, worth_more):
        """Yields (number of a model, its `Fit` or None) as the fits end."""
        order, updates = np.arange(len(y)), 1.0
        for epoch in range(1, max_iters[-1] + 1):
            _shuffle(order, shuffle_seed)
            arrays = [getattr(self, name) for name in self._BY_MODEL]
            _epoch(x, y, order, updates, self.penalty, self.rows, self.weights, self.taken, *arrays)
            updates += len(y)
            ended = list(self._ended(epoch, len(y), max_iters, worth_more))
            yield from ((self.numbers[k], fit) for k, fit in ended)
            if ended:
                _, first = np.unique(self.numbers, return_index=True)
                self._keep(np.setdiff1d(first, [k for k, _ in ended]))
            if not len(self.numbers):
                return

    def _ended(self, epoch: int, samples: int, max_iters: list[int], worth_more: Callable[[Fit], bool]):
        """(place of a model, its fit or None) of all that end with this epoch."""
        finite = np.isfinite(self.intercept) & np.isfinite(self.weights).all(axis=0)
        objective = self.objective / samples
        self.stale = np.where(objective > self.best - TOLERANCE, self.stale + 1, 0)
        self.best = np.where(objective < self.best, objective, self.best)
        larger = [number for number in max_iters if number > epoch]
        for k in range(len(self.numbers)):
            converged = self.stale[k] >= PATIENCE
            if not finite[k]:
                yield k, None
            elif converged or epoch in max_iters:
                fit = Fit(self.weights[:, k] * self.scale[k], float(self.intercept[k]), epoch, epoch)
                if epoch in max_iters and not (larger and worth_more(fit)):
                    yield k, fit
                elif converged:
                    yield k, fit._replace(max_iter=larger[0])

    def _keep(self, places: np.ndarray) -> None:
        """Go on with the models at these places; some are repeated, so that all vectors of the processor are full."""
        places = np.resize(places, -(-len(places) // VECTOR) * VECTOR)
        for name in ("numbers", "rows", "best", "stale", *self._BY_MODEL):
            setattr(self, name, getattr(self, name)[places])
        self.weights, self.taken = (np.ascontiguousarray(each[:, places]) for each in (self.weights, self.taken))


@njit(cache=True)
def _shuffle(order, seed):
    """Fisher and Yates' shuffle by Marsaglia's xorshift of 32 bits: that of scikit-learn."""
    state = np.uint32(seed)
    for i in range(len(order) - 1):
        if state == np.uint32(0):
            state = np.uint32(1)
        state ^= np.uint32(state << np.uint32(13))
        state ^= np.uint32(state >> np.uint32(17))
        state ^= np.uint32(state << np.uint32(5))
        j = i + np.int64(state & np.uint32(0x7FFFFFFF)) % (len(order) - i)
        order[i], order[j] = order[j], order[i]


@njit(cache=True, error_model="numpy")
def _epoch(
    x, y, order, updates, penalty, rows, weights, taken, intercept, scale, square, absolute, due, objective
):  # fmt: skip
    """All samples once; `order` says in which order, `updates` the number of the first update, from 1.

    Arrays of one value per model are arguments of their own: as rows of one array they could not be read in vectors.
    """
    features, models = weights.shape
    dots, steps, squares, absolutes = np.empty(models), np.empty(models), np.empty(models), np.empty(models)
    objective[:] = 0.0
    for i in range(len(order)):
        sample, target, update_number = x[order[i]], y[order[i]], updates + i
        power = math.pow(update_number, rows[0, 7])
        _predict(weights, sample, dots)
        for m in range(models):
            row = rows[m]
            loss, kind, alpha, l1_ratio = int(row[0]), int(row[2]), row[3], row[4]
            prediction = dots[m] * scale[m] + intercept[m]
            eta = row[6]
            if kind == OPTIMAL:
                eta = 1.0 / (alpha * (row[8] + update_number - 1))
            elif kind == INVSCALING:
                eta = row[6] / power
            norm = math.sqrt(square[m])
            objective[m] += _loss(loss, row[5], target, prediction)
            objective[m] += alpha * ((1.0 - l1_ratio) * 0.5 * (norm * norm) + l1_ratio * absolute[m])
            gradient = loss_gradient(loss, row[5], target, prediction)
            if gradient < -MAX_GRADIENT:
                gradient = -MAX_GRADIENT
            elif gradient > MAX_GRADIENT:
                gradient = MAX_GRADIENT
            update = -eta * gradient
            if penalty != L1:
                factor = max(0.0, 1.0 - ((1.0 - l1_ratio) * eta * alpha))
                scale[m] *= factor
                square[m] *= factor * factor
                absolute[m] *= factor
                if scale[m] < SCALE_RESET:
                    for j in range(features):
                        weights[j, m] *= scale[m]
                    scale[m] = 1.0
            steps[m] = update / scale[m]
            intercept[m] += update
            due[m] += l1_ratio * eta * alpha
        _add(weights, sample, steps, squares, absolutes)
        for m in range(models):
            if steps[m] != 0.0:  # without an update scikit-learn leaves the norms as they were
                square[m] = squares[m] * (scale[m] * scale[m])
                absolute[m] = absolutes[m] * scale[m]
        if penalty != L2:
            _shrink(weights, taken, scale, due)


@njit(cache=True)
def _loss(loss, epsilon, y, prediction):
    residual = prediction - y
    if loss == HUBER:
        size = abs(residual)
        return 0.5 * (size * size) if size <= epsilon else epsilon * (size - 0.5 * epsilon)
    if loss == EPSILON_INSENSITIVE:
        excess = abs(residual) - epsilon
        return excess if excess > 0.0 else 0.0
    return 0.5 * residual * residual


@njit(cache=True)
def _predict(weights, sample, out):
    """Sequential dot products of all models with one sample."""
    out[:] = 0.0
    for j in range(weights.shape[0]):
        for m in range(weights.shape[1]):
            out[m] += weights[j, m] * sample[j]


@njit(cache=True)
def _add(weights, sample, steps, squares, absolutes):
    """Add `steps` times the sample; the sums of squares and of absolute values of what comes out, into the last two."""
    squares[:] = 0.0
    absolutes[:] = 0.0
    for j in range(weights.shape[0]):
        for m in range(weights.shape[1]):
            weight = weights[j, m] + sample[j] * steps[m]
            weights[j, m] = weight
            squares[m] += weight * weight
            absolutes[m] += abs(weight)


@njit(cache=True, error_model="numpy")
def _shrink(weights, taken, scale, due):
    """Truncated l1 penalty (Tsuruoka et al. 2009); conditions are values here, so that it works on vectors too."""
    for j in range(weights.shape[0]):
        for m in range(weights.shape[1]):
            before = weights[j, m]
            sign = scale[m] * before
            left = due[m] + taken[j, m] if sign > 0.0 else taken[j, m] - due[m]
            after = before - left / scale[m]
            after = after if sign * after > 0.0 else 0.0
            after = after if abs(sign) > 0.0 else before
            weights[j, m] = after
            taken[j, m] += scale[m] * (after - before)
