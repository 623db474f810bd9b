"""Residuals of the mechanism inside the data, as tables (`pmtwin.calibrate.residual` makes them).

A correction exp(r) on the mechanism's bandwidth. Outside the fitted range there is none: a table does not extrapolate.
The deviation of a sampled device from the profile does: a device that is faster at the last knot is so beyond.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.grid import Grid


def log_deviation(
    cells: list[dict], pattern: str, access_size_bytes: np.ndarray, threads: np.ndarray, power_w: np.ndarray
) -> np.ndarray:
    """Logarithm of a sampled device's bandwidth over the profile's, for any number of DIMMs; arrays of one shape."""
    for cell in cells:
        if cell["pattern"] == pattern:
            return Grid.from_json(cell, "log_ratio", "deviations").at(power_w, access_size_bytes, threads)
    return np.zeros(access_size_bytes.shape)


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
