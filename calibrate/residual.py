"""The small residual on top of the mechanism: a Gaussian process over the configurations of one operation.

It learns log(measured / mechanism) with a prior mean of 0, so that it vanishes away from the data. The profile has it
as tables over the measured powers, sizes and thread counts (`pmtwin.sim.device.residual`). The kernel is fixed, and the
same for all operations; its length scales, in octaves, were chosen by cross-validation on LATTester's sweep.
"""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from pmtwin.calibrate.measurements import Configurations

PARTS = (
    (0.080, (1.28, 9.8, 2.58, 0.52, 1.16)),
    (0.034, (1.04, 0.51, 0.68, 0.36, 2.84)),
    (0.022, (0.28, 7.2, 0.24, 2.65, 2.76)),
)
"""(standard deviation of log bandwidth, length scales along `coordinates`) of three parts: wide errors of the
mechanism, narrow ones in the access size, and narrow ones in threads."""

NOISE_SIGMA = 0.0168
"""Standard deviation of log bandwidth by noise."""

PATTERN_MERGE_BYTES = 4096.0
SHORT_PATTERN_DISTANCE, LONG_PATTERN_DISTANCE = 2.0, 1.5
"""Distance between random and sequential accesses, short and long ones. Long accesses of both are alike but not the
same: the lines of a long random store are evicted in better order than those of a sequential one."""

CLIP = 0.5
"""Largest log ratio that the process sees: a configuration with a larger one is an outlier."""


def coordinates(
    random: np.ndarray, access_size_bytes: np.ndarray, threads: np.ndarray, dimms: np.ndarray, power_w: np.ndarray
) -> np.ndarray:
    """Coordinates of points, shape (points, 5): log2 threads, log2 size, pattern (closer for long accesses), log DIMMs,
    log power."""
    merging = (SHORT_PATTERN_DISTANCE - LONG_PATTERN_DISTANCE) / (1.0 + access_size_bytes / PATTERN_MERGE_BYTES)
    pattern = np.where(random, LONG_PATTERN_DISTANCE + merging, 0.0)
    power = 3.0 * np.log2(power_w / 15.0)
    columns = np.log2(threads), np.log2(access_size_bytes), pattern, np.log2(dimms) / np.log2(6.0), power
    return np.column_stack(columns)


class ResidualProcess:
    """A Gaussian process on log(measured / mechanism).

    Args:
        configurations: of one operation.
        log_ratio: logarithm of measured over mechanism, shape (configurations,).
    """

    def __init__(self, configurations: Configurations, log_ratio: np.ndarray):
        kernel = reduce(add, (ConstantKernel(sigma**2) * Matern(scales, nu=1.5) for sigma, scales in PARTS))
        process = GaussianProcessRegressor(kernel, alpha=NOISE_SIGMA**2, optimizer=None, copy_X_train=False)
        self._process = process.fit(coordinates_of(configurations), np.clip(log_ratio, -CLIP, CLIP))

    def predict(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(expected log(measured / mechanism), its standard deviation) at coordinates of shape (points, 5)."""
        mean, deviation = self._process.predict(points, return_std=True)
        return mean, np.hypot(deviation, NOISE_SIGMA)

    def table(self, cell: dict) -> np.ndarray:
        """Expected values over the knots of a cell, shape (powers, sizes, threads)."""
        points, shape = knots_of(cell)
        return self._process.predict(points).reshape(shape)


def knots_of(cell: dict) -> tuple[np.ndarray, tuple[int, ...]]:
    """(coordinates of all knots of a cell, shape (knots, 5); shape (powers, sizes, threads) of its tables)."""
    knots, shape = configurations_of_knots(cell)
    return coordinates_of(knots), shape


def configurations_of_knots(cell: dict, operation: str = "") -> tuple[Configurations, tuple[int, ...]]:
    """(all knots of a cell as configurations without measurements; shape (powers, sizes, threads) of its tables)."""
    mesh = np.meshgrid(cell["power_w"], cell["access_size_bytes"], cell["threads"], indexing="ij")
    power, size, threads = (axis.ravel().astype(float) for axis in mesh)
    unmeasured = np.full(power.shape, np.nan)
    knots = Configurations(
        operation=np.full(power.shape, operation),
        pattern=np.full(power.shape, cell["pattern"]),
        dimms=np.full(power.shape, float(cell["dimms"])),
        power_w=power,
        threads=threads,
        access_size_bytes=size,
        bandwidth_mib_s=unmeasured,
        effective_write_ratio=unmeasured,
        replicates=np.zeros(power.shape, dtype=int),
    )
    return knots, mesh[0].shape


def cells_of(configurations: Configurations) -> list[dict]:
    """The cells (pattern, DIMMs) of one operation; the knots are the measured powers, sizes and thread counts."""
    cells = []
    for pattern, dimms in sorted(set(zip(configurations.pattern.tolist(), configurations.dimms.tolist(), strict=True))):
        inside = configurations.take((configurations.pattern == pattern) & (configurations.dimms == dimms))
        knots = {name: np.unique(getattr(inside, name)).tolist() for name in _KNOTS}
        cells.append({"pattern": pattern, "dimms": int(dimms), **knots})
    return cells


_KNOTS = ("power_w", "access_size_bytes", "threads")


def coordinates_of(c: Configurations) -> np.ndarray:
    """Coordinates of configurations, shape (configurations, 5)."""
    return coordinates(c.random, c.access_size_bytes, c.threads, c.dimms, c.power_w)
