"""Residuals of the mechanism inside the data, as tables (`pmtwin.calibrate.residual` makes them).

A correction exp(r) on the mechanism's bandwidth. Outside the fitted range there is none: a table does not extrapolate.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.grid import Grid


def log_correction(
    cells: list[dict],
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> np.ndarray:
    """Logarithm of measured over mechanistic bandwidth, 0 where no cell covers the point; arrays of one shape."""
    correction = np.zeros(access_size_bytes.shape)
    for cell in cells:
        if cell["pattern"] != pattern:
            continue
        members = dimms == cell["dimms"]
        if np.any(members):
            grid = Grid.from_json(cell, "log_ratio", "residual")
            correction[members] = grid.at(power_w[members], access_size_bytes[members], threads[members])
    return correction
