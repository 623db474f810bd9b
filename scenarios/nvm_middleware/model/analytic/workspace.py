"""Scratch arrays for computing a window: one record, passed on in compiled code without counting references."""

from __future__ import annotations

import numpy as np

from pmtwin.scenarios.nvm_middleware.model.analytic.latency import PART_FIELDS, PARTS
from pmtwin.scenarios.nvm_middleware.model.analytic.pool import MOST_WORKERS
from pmtwin.scenarios.nvm_middleware.model.analytic.settings import FIELDS
from pmtwin.sim.load.workload import CLASSES

MOST_SLICES = 40

_C = len(CLASSES)

WORKSPACE = np.dtype(
    [
        ("budgets", "f8", _C),  # requests that may still be submitted
        ("lines", "f8", _C),  # mean numbers of requests in line, now
        (
            "times",
            "f8",
            (2 * _C, MOST_WORKERS + 1),
        ),  # scratch of `pmtwin.scenarios.nvm_middleware.model.analytic.settings.solve_setting`
        ("rest", "f8", (_C, FIELDS)),  # both pools at rest: the fields of `Pool`, then the share in the device
        ("slices", "f8", (MOST_SLICES, _C, FIELDS)),  # the same in each slice of a window
        ("durations", "f8", MOST_SLICES),  # of the slices, ns
        ("counts", "f8", (MOST_SLICES, _C)),  # answers in each slice
        ("parts", "f8", (MOST_SLICES, PARTS, PART_FIELDS)),  # of the services of one class in each slice
        ("part_counts", "i8", MOST_SLICES),
    ],
    align=True,
)


def new_workspace() -> np.ndarray:
    """A `WORKSPACE` array of shape (1,), with empty lines and no requests to submit."""
    return np.zeros(1, dtype=WORKSPACE)
