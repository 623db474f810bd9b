"""Values tabulated over power, access size and threads, interpolated linearly in the logarithm of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim.errors import InputError

AXES = ("power_w", "access_size_bytes", "threads")


@dataclass(frozen=True)
class Grid:
    """A table for one operation, pattern and number of DIMMs.

    Args:
        axes: rising positive knots of `AXES`, at least one each.
        values: shape (powers, sizes, threads).
    """

    axes: tuple[np.ndarray, np.ndarray, np.ndarray]
    values: np.ndarray

    @staticmethod
    def from_json(cell: dict, key: str, where: str) -> Grid:
        """The table `cell[key]` with the axes in `cell`; `InputError` if their shapes do not fit."""
        try:
            axes = tuple(np.asarray(cell[name], dtype=float) for name in AXES)
            values = np.asarray(cell[key], dtype=float)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(key, str(error), f"numbers over {', '.join(AXES)}", where) from error
        if values.shape != tuple(axis.size for axis in axes) or not np.all(np.isfinite(values)):
            raise InputError(key, values.shape, f"finite numbers over {', '.join(AXES)}", where)
        if any(axis.size == 0 or axis[0] <= 0 or np.any(np.diff(axis) <= 0) for axis in axes):
            raise InputError(key, "axes", "rising positive knots", where)
        return Grid(axes, values)

    def at(self, power_w: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray) -> np.ndarray:
        """Interpolated values, shape of the arguments; beyond the outer knots the outer value."""
        places = [_place(axis, x) for axis, x in zip(self.axes, (power_w, access_size_bytes, threads), strict=True)]
        flat = self.values.ravel()
        strides = (self.values.shape[1] * self.values.shape[2], self.values.shape[2], 1)
        corners = [(0, 1.0)]
        for (low, high, weight), stride in zip(places, strides, strict=True):
            corners = [
                (index + knot * stride, share * part)
                for index, share in corners
                for knot, part in ((low, 1.0 - weight), (high, weight))
            ]
        return sum(share * flat[index] for index, share in corners)


def _place(knots: Sequence[float], x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Knots around each x and the weight of the upper one."""
    knots = np.asarray(knots)
    high = np.clip(np.searchsorted(knots, x), 1, max(knots.size - 1, 1)) if knots.size > 1 else np.zeros(x.shape, int)
    low = np.maximum(high - 1, 0)
    if knots.size == 1:
        return low, high, np.zeros(x.shape)
    logs = np.log(knots)
    weight = np.clip((np.log(x) - logs[low]) / (logs[high] - logs[low]), 0.0, 1.0)
    return low, high, weight
