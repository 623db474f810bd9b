"""The posterior of a device as tables over knots, the form in which a profile stores it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import MechanismFit
from pmtwin.calibrate.prior.knowledge import Knowledge
from pmtwin.calibrate.prior.observed import grid
from pmtwin.sim.device.law import OPERATIONS, PATTERNS
from pmtwin.sim.numerics.statistics import NORMAL_90

SIZES = tuple(float(64 << step) for step in range(11))
THREADS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
"""Knots in addition to the measured values; they span the range of the shipped devices."""

PER_OCTAVE = 0.3
"""Half-width of log bandwidth for each octave beyond the knots. Assumed: no device informs it."""


@dataclass(frozen=True)
class PosteriorTables:
    """Posterior of log bandwidth at the knots of one set of DIMMs.

    Args:
        mean, deviation: arrays of shape (operations, patterns, sizes, threads).
    """

    dimms: float
    power_w: float
    sizes: list[float]
    threads: list[float]
    mean: np.ndarray
    deviation: np.ndarray

    @staticmethod
    def from_knowledge(known: Knowledge, dimms: float) -> PosteriorTables:
        c = known.configurations
        sizes = sorted({*SIZES, *c.access_size_bytes.tolist()})
        threads = sorted({*THREADS, *c.threads.tolist()})
        power_w = float(np.median(c.power_w)) if len(c) else 15.0
        knots = grid(OPERATIONS, PATTERNS, sizes, threads, dimms, power_w)
        mean, deviation = known.posterior.predict(known.points(knots))
        shape = len(OPERATIONS), len(PATTERNS), len(sizes), len(threads)
        return PosteriorTables(dimms, power_w, sizes, threads, mean.reshape(shape), deviation.reshape(shape))

    def boxes(self) -> list[dict]:
        ranges = {"access_size_bytes": [self.sizes[0], self.sizes[-1]], "threads": [self.threads[0], self.threads[-1]]}
        ranges |= {"power_w": [self.power_w, self.power_w]}
        return [{"pattern": pattern, "dimms": int(self.dimms), **ranges} for pattern in sorted(PATTERNS)]

    def cells(self, key: str, values: np.ndarray) -> list[dict]:
        """Cells of a profile's table; `values` of one operation, shape (patterns, sizes, threads)."""
        knots = {"power_w": [self.power_w], "access_size_bytes": self.sizes, "threads": self.threads}
        return [
            {"pattern": pattern, "dimms": int(self.dimms), **knots, key: [np.round(table, 4).tolist()]}
            for pattern, table in zip(PATTERNS, values, strict=True)
        ]

    def operation_knots(self, operation: str) -> Configurations:
        """The knots of one operation with the posterior mean as their bandwidth."""
        knots = grid((operation,), PATTERNS, self.sizes, self.threads, self.dimms, self.power_w)
        return replace(knots, bandwidth_mib_s=np.exp(self.mean[OPERATIONS.index(operation)]).ravel())

    def residual(self, operation: str, parameters: dict[str, float]) -> list[dict]:
        law = MechanismFit(operation, parameters, [], np.array([])).log_bandwidth(self.operation_knots(operation))
        mean = self.mean[OPERATIONS.index(operation)]
        return self.cells("log_ratio", mean - law.reshape(mean.shape))


def intervals_of(operation: str, tables: list[PosteriorTables]) -> dict:
    """Half-widths of one operation's 90 % intervals, as a profile stores them."""
    index = OPERATIONS.index(operation)
    half = [NORMAL_90 * each.deviation[index] for each in tables]
    return {
        "mechanism_half_width": round(max(float(each.max()) for each in half), 4),
        "half_width_per_octave": PER_OCTAVE,
        "cells": [cell for each, widths in zip(tables, half, strict=True) for cell in each.cells("half_width", widths)],
    }
