"""A network fitted to targets by squared error, in passes over minibatches.

The operations and their order are those of scikit-learn's `MLPRegressor` (Adam, no validation set), which gives the
same bits for the same arguments.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from pmtwin.policies.network.layers import Layers, by_layer
from pmtwin.policies.network.optimisers import Adam
from pmtwin.sim.errors import CheckFailedError, InputError

TOLERANCE, PATIENCE = 1e-4, 10
"""A fit ends early after more than so many passes whose loss is no better than the least one by the tolerance."""


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
        inputs: float64, shape (rows, inputs). targets: shape (rows,).
        units: number of units of each hidden layer.
        activation: one of `ACTIVATIONS`.
        sweeps: largest number of passes over the data.
        batch: number of rows in a step.
        rate: learning rate of Adam.
        penalty: weight of half the squared weights, added to the loss of a batch.
        seed: seed of the initial weights and the orders of rows, below 2^32.

    Raises:
        CheckFailedError: if the fit diverges.
    """
    if len(inputs) != len(targets) or not len(inputs):
        raise InputError("targets", f"{len(targets)} for {len(inputs)} rows", "one for each row, of one row or more")
    random = np.random.RandomState(seed)  # whose orders a Generator does not give
    layers = Layers.drawn((inputs.shape[1], *units, 1), activation, random, np.float64)
    optimiser, gradient = Adam(layers.parameters, rate), np.empty_like(layers.parameters)
    targets, order = targets.reshape(-1, 1), np.arange(len(inputs))
    best, idle = np.inf, 0
    with threadpool_limits(1):  # one thread: the same sums on any machine's cores
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
    """Write the gradient of the mean loss of a batch with its penalty; returns that loss.

    Args:
        inputs, targets: shapes (rows, inputs) and (rows, outputs).
        penalty: as in `fit`.
        out: of the parameters' shape and type.
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


def _shuffled(count: int, random) -> np.ndarray:
    order = np.arange(count)
    random.shuffle(order)
    return order
