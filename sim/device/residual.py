"""Residuals of the mechanism inside the data, as tables (`pmtwin.calibrate.residual` makes them).

A residual r is a correction exp(r) on the mechanism's bandwidth; outside the fitted range there is none. The deviation
of a sampled device from the profile continues outside: it is constant beyond the outer knots.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.grid import Grid


def log_deviation(
    cells: list[dict], pattern: str, access_size_bytes: np.ndarray, threads: np.ndarray, power_w: np.ndarray
) -> np.ndarray:
    """Logarithm of a sampled device's bandwidth over the profile's; it does not depend on the number of DIMMs."""
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
    """Logarithm of measured over mechanistic bandwidth; 0 if no cell has the pattern and the number of DIMMs."""
    correction = np.zeros(access_size_bytes.shape)
    for cell in cells:
        if cell["pattern"] != pattern:
            continue
        members = dimms == cell["dimms"]
        if np.any(members):
            grid = Grid.from_json(cell, "log_ratio", "residual")
            correction[members] = grid.at(power_w[members], access_size_bytes[members], threads[members])
    return correction
