"""Regression by a network: least squared error, in passes over minibatches.

Operations and their order are those of scikit-learn's `MLPRegressor` (Adam, no validation set): the same arguments give
the same bits.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.policies.network.layers import Layers, by_layer
from pmtwin.policies.network.optimisers import Adam
from pmtwin.sim.errors import CheckFailedError, InputError

TOLERANCE, PATIENCE = 1e-4, 10
"""A fit ends once more than `PATIENCE` passes in a row have not lowered the smallest loss by `TOLERANCE`."""


def fit(
    inputs: np.ndarray,
    targets: np.ndarray,
    units: tuple[int, ...],
    activation: str,
    sweeps: int,
    batch: int,
    rate: float,
    penalty: float,
    seed: int,
) -> Layers:
    """Layers that predict the targets.

    Args:
        inputs: float64, shape (rows, inputs).
        targets: float64, shape (rows,).
        units: number of units of each hidden layer.
        activation: one of `ACTIVATIONS`.
        sweeps: largest number of passes over the data.
        batch: number of rows in a step.
        rate: learning rate of Adam.
        penalty: factor of half the sum of squared weights, which is added to the loss of a batch.
        seed: seed of the initial weights and of the orders of rows, below 2^32.

    Raises:
        InputError: for no rows, or another number of targets.
        CheckFailedError: if the fit diverges.
    """
    if len(inputs) != len(targets) or not len(inputs):
        raise InputError("targets", f"{len(targets)} for {len(inputs)} rows", "one for each row, of one row or more")
    random = np.random.RandomState(seed)  # as scikit-learn: a Generator shuffles differently
    layers = Layers.drawn((inputs.shape[1], *units, 1), activation, random, np.float64)
    optimiser, gradient = Adam(layers.parameters, rate), np.empty_like(layers.parameters)
    targets, order = targets.reshape(-1, 1), np.arange(len(inputs))
    best, idle = np.inf, 0
    with threadpool_limits(1):  # one thread: the same sums for any number of cores
        for _ in range(sweeps):
            order = order[_shuffled(len(order), random)]
            total = 0.0
            for begin in range(0, len(order), batch):
                rows = order[begin : begin + batch]
                total += penalised_gradient(layers, inputs[rows], targets[rows], penalty, gradient) * len(rows)
                optimiser.step(layers.parameters, gradient)
            loss = total / len(order)
            idle = idle + 1 if loss > best - TOLERANCE else 0
            best = min(best, loss)
            if idle > PATIENCE:
                break
    if not np.all(np.isfinite(layers.parameters)):
        raise CheckFailedError(f"the fit of a network to {len(inputs)} rows diverged; choose a rate below {rate:g}")
    return layers


def penalised_gradient(
    layers: Layers, inputs: np.ndarray, targets: np.ndarray, penalty: float, out: np.ndarray
) -> float:
    """Write the gradient of a batch's mean loss, penalty included, into `out`; returns that loss.

    Args:
        inputs, targets: shapes (rows, inputs) and (rows, outputs).
        penalty: as in `fit`.
        out: array of the parameters' shape and type.
    """
    passed = layers.run(inputs)
    loss = 0.5 * ((targets - passed.outputs) ** 2).mean(axis=0).mean()
    loss += 0.5 * penalty * sum(np.dot(flat, flat) for flat in map(np.ravel, layers.weights)) / len(inputs)
    layers.gradient(passed, passed.outputs - targets, out)
    if penalty:
        for slopes, weights in zip(by_layer(layers.sizes, out)[0], layers.weights, strict=True):
            slopes += penalty * weights
    out /= len(inputs)
    return float(loss)


def _shuffled(count: int, random: np.random.RandomState) -> np.ndarray:
    order = np.arange(count)
    random.shuffle(order)
    return order
