"""Elementary effects: screening of many inputs that are varied together, for their effect on an output.

Morris, "Factorial sampling plans for preliminary computational experiments", Technometrics 33 (1991): paths through
a grid on the unit cube; each step changes one input. Campolongo, Cariboni and Saltelli (2007): the mean of the absolute
effects, in which effects of opposite sign do not cancel.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pmtwin.sim.errors import check_range

LEVELS = 6
"""Levels of the grid, an even number."""

STEP = LEVELS / (2 * (LEVELS - 1))
"""Length of a step, with which all levels are equally likely."""


class Effects(NamedTuple):
    """Effects of k inputs on m outputs, per edge of the cube; shape (k, m) each.

    Fields:
        mean: mean effect.
        mean_absolute: mean absolute effect, the importance of an input.
        standard_error: of `mean_absolute`.
        spread: standard deviation of the effects; it shows how much they depend on the other inputs.
    """

    mean: np.ndarray
    mean_absolute: np.ndarray
    standard_error: np.ndarray
    spread: np.ndarray


def trajectories(inputs: int, count: int, generator: np.random.Generator) -> np.ndarray:
    """Random trajectories: points in [0, 1], each of which differs from its predecessor in one input, by `STEP`.

    Returns:
        shape (count, inputs + 1, inputs).

    Raises:
        InputError: fewer than one input or two trajectories.
    """
    check_range("inputs", inputs, 1, 10_000, "inputs")
    check_range("trajectories", count, 2, 100_000, "trajectories")
    points = np.empty((count, inputs + 1, inputs))
    for trajectory in points:
        start = generator.integers(LEVELS // 2, size=inputs) / (LEVELS - 1)
        upwards = generator.integers(2, size=inputs).astype(bool)
        trajectory[:] = np.where(upwards, start, start + STEP)
        for step, moved in enumerate(generator.permutation(inputs)):
            trajectory[step + 1 :, moved] += STEP if upwards[moved] else -STEP
    return points


def effects(points: np.ndarray, values: np.ndarray) -> Effects:
    """Elementary effects of the inputs.

    Args:
        points: of `trajectories`, shape (r, k + 1, k).
        values: outputs at the points, shape (r, k + 1, m).
    """
    moves, changes = np.diff(points, axis=1), np.diff(values, axis=1)
    moved = np.abs(moves).argmax(axis=2)
    single = np.empty((points.shape[0], points.shape[2], values.shape[2]))
    for trajectory, inputs in enumerate(moved):
        steps = np.arange(inputs.size)
        single[trajectory, inputs] = changes[trajectory] / moves[trajectory, steps, inputs][:, None]
    count = points.shape[0]
    return Effects(
        mean=single.mean(axis=0),
        mean_absolute=np.abs(single).mean(axis=0),
        standard_error=np.abs(single).std(axis=0, ddof=1) / np.sqrt(count),
        spread=single.std(axis=0, ddof=1),
    )
