"""Prediction intervals: how far the median of a new configuration may lie from its prediction (`calibrate.conformal`).

Half-widths are in the logarithm of the bandwidth. Inside the data they come from tables over the measured sizes,
budgets and thread counts, with a knot between thread counts that are not consecutive. Outside, the half-width of the
bare mechanism grows with the distance from the data.
"""

from __future__ import annotations

import numpy as np

from sim.device.grid import Grid

COVERAGE = 0.90


def log_half_width(
    intervals: dict,
    operation: str,
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
    distance: np.ndarray,
) -> np.ndarray:
    """Half-width of the 90 % interval of log bandwidth; arrays of one shape.

    Args:
        distance: octaves to the fitted range, 0 inside it (`distance_octaves`).
    """
    entry = intervals["operations"][operation]
    outside = distance > 0
    half = entry["mechanism_half_width"] + entry["half_width_per_octave"] * distance
    for cell in entry["cells"]:
        here = ~outside & (dimms == cell["dimms"]) if cell["pattern"] == pattern else np.zeros(outside.shape, bool)
        if not np.any(here):
            continue
        half[here] = Grid.from_json(cell, "half_width", "intervals").at(
            power_w[here], access_size_bytes[here], threads[here]
        )
    return half


def distance_octaves(
    boxes: list[dict],
    pattern: str,
    access_size_bytes: np.ndarray,
    threads: np.ndarray,
    dimms: np.ndarray,
    power_w: np.ndarray,
) -> np.ndarray:
    """Octaves (factors of two, summed over the axes) from the nearest fitted box; 0 inside, infinite without boxes."""
    columns = {"access_size_bytes": access_size_bytes, "threads": threads, "power_w": power_w}
    columns = {name: np.log2(values) for name, values in columns.items()}
    log_dimms = np.log2(dimms)
    nearest = np.full(access_size_bytes.shape, np.inf)
    for box in boxes:
        if box["pattern"] != pattern:
            continue
        away = np.abs(log_dimms - np.log2(box["dimms"]))
        for name, values in columns.items():
            low, high = np.log2(box[name])
            away += np.maximum(np.maximum(low - values, values - high), 0.0)
        np.minimum(nearest, away, out=nearest)
        if not np.any(nearest):
            break
    return nearest
