"""Tables over power, access size and threads, interpolated linearly in the logarithm of each axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.errors import InputError

AXES = ("power_w", "access_size_bytes", "threads")


@dataclass(frozen=True)
class Grid:
    """A table for one operation, pattern and number of DIMMs.

    Args:
        axes: knots of each of `AXES`, one or more, rising and positive.
        values: shape (powers, sizes, threads).
    """

    axes: tuple[np.ndarray, ...]
    values: np.ndarray

    @staticmethod
    def from_json(cell: dict, key: str, where: str, low: float = -math.inf) -> Grid:
        """The table `cell[key]`, whose values are at least `low`, over the axes in `cell`.

        Raises:
            InputError: shapes do not match, values are below `low`, or knots do not rise.
        """
        try:
            axes = tuple(np.asarray(cell[name], dtype=float) for name in AXES)
            values = np.asarray(cell[key], dtype=float)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(key, str(error), f"numbers over {', '.join(AXES)}", where) from error
        if values.shape != tuple(axis.size for axis in axes) or not np.all(np.isfinite(values)):
            raise InputError(key, values.shape, f"finite numbers over {', '.join(AXES)}", where)
        if np.min(values, initial=math.inf) < low:
            raise InputError(key, float(values.min()), f"numbers of at least {low:g}", where)
        for name, axis in zip(AXES, axes, strict=True):
            rising = axis.ndim == 1 and axis.size > 0 and axis[0] > 0 and np.all(np.diff(axis) > 0)
            if not rising or not np.all(np.isfinite(axis)):
                raise InputError(name, cell[name], "rising, positive, finite knots", where)
        return Grid(axes, values)

    def at(self, power_w: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray) -> np.ndarray:
        """Interpolated values, of the arguments' shape; constant beyond the outer knots."""
        flat = self.values.ravel()
        corners: list[tuple[np.ndarray, np.ndarray | None]] = [(np.zeros(power_w.shape, dtype=int), None)]
        for knots, x, stride in self._along((power_w, access_size_bytes, threads)):
            low, weight = _place(knots, x)
            low *= stride
            if not np.any(weight):  # all points are on a knot, like most power budgets: half as many corners
                corners = [(index + low, share) for index, share in corners]
                continue
            parts = ((low, 1.0 - weight), (low + stride, weight))
            corners = [
                (index + step, part if share is None else share * part)
                for index, share in corners
                for step, part in parts
            ]
        shares = (flat[index] if share is None else share * flat[index] for index, share in corners)
        return sum(shares, np.zeros(()))

    def nearest(self, power_w: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray) -> np.ndarray:
        """Values at the nearest knots, of the arguments' shape."""
        index = np.zeros(power_w.shape, dtype=int)
        for knots, x, stride in self._along((power_w, access_size_bytes, threads)):
            low, weight = _place(knots, x)
            index += (low + (weight > 0.5)) * stride
        return self.values.ravel()[index]

    def _along(self, x: tuple[np.ndarray, np.ndarray, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray, int]]:
        """(knots, coordinate, stride in the flat table) of each axis with more than one knot."""
        strides = (self.values.shape[1] * self.values.shape[2], self.values.shape[2], 1)
        return [(knots, xs, stride) for knots, xs, stride in zip(self.axes, x, strides, strict=True) if knots.size > 1]


def _place(knots: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(index of the knot below each x, weight of the knot above it); there are two knots or more."""
    low = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, knots.size - 2)
    logs = np.log(knots)
    weight = (np.log(x) - logs[low]) * (1.0 / np.diff(logs))[low]
    return low, np.minimum(np.maximum(weight, 0.0, out=weight), 1.0, out=weight)
