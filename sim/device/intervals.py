"""Prediction intervals of the median of a new configuration in the same campaign (`pmtwin.calibrate.conformal`).

`pmtwin.sim.device.interval_kinds` adds the variation between campaigns. Half-widths are those of log bandwidth. Inside
the data they come from tables over the measured sizes, budgets and thread counts, with a knot between thread counts
that are not consecutive. Outside, the half-width grows from the nearest edge on, with the distance from the data. The
rate, the same along every axis, comes from the errors at the largest and smallest thread counts, when these are left
out of the fit; a profile whose data do not determine it has no intervals outside.
"""

from __future__ import annotations

import numpy as np

from pmtwin.sim.device.grid import Grid

COVERAGE = 0.90

WIDEST_FACTOR = 10.0
"""Largest useful ratio of an interval's ends."""

TOO_WIDE = "too wide to use"
"""Remark that is printed after wider intervals."""


def too_wide(low: np.ndarray | float, high: np.ndarray | float) -> np.ndarray | bool:
    """Whether an interval is wider than `WIDEST_FACTOR`; False without an interval (NaN)."""
    return np.asarray(high) > WIDEST_FACTOR * np.asarray(low)


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

    Returns:
        Half-widths; NaN outside the data if the growth of the error there is unknown.
    """
    entry = intervals["operations"][operation]
    cells = [cell for cell in entry["cells"] if cell["pattern"] == pattern]
    nearest = _nearest(dimms, [cell["dimms"] for cell in cells])
    edge = np.full(distance.shape, np.nan)
    for cell in cells:
        members = np.flatnonzero(nearest == cell["dimms"])
        if members.size:
            grid = Grid.from_json(cell, "half_width", "intervals")
            edge[members] = grid.at(power_w[members], access_size_bytes[members], threads[members])
    growth = entry["half_width_per_octave"]
    beyond = entry["mechanism_half_width"] + (np.nan if growth is None else growth) * distance
    half_width = np.where(distance > 0, np.maximum(edge, beyond), edge)
    return np.hypot(half_width, added) if (added := entry.get("added", {}).get(pattern)) else half_width


def _nearest(values: np.ndarray, known: list[float]) -> np.ndarray:
    """For each value, the known value with the nearest ratio."""
    knots = np.unique(np.asarray(known, dtype=float))
    return knots[np.argmin(np.abs(np.log(values[:, None] / knots)), axis=1)]


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
        octaves = np.abs(log_dimms - np.log2(box["dimms"]))
        for name, values in columns.items():
            low, high = np.log2(box[name])
            octaves += np.maximum(np.maximum(low - values, values - high), 0.0)
        np.minimum(nearest, octaves, out=nearest)
        if not np.any(nearest):
            break
    return nearest
