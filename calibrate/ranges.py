"""Measured ranges: inside them a profile interpolates, outside the mechanism extrapolates."""

from __future__ import annotations

import numpy as np

from pmtwin.calibrate.measurements import Configurations
from pmtwin.sim.device.intervals import distance_octaves
from pmtwin.sim.device.law import PATTERNS


def fitted_boxes(c: Configurations) -> list[dict]:
    """Ranges of an operation's sizes and threads, by pattern, DIMMs and power budget (`Profile.fitted_range`)."""
    boxes = []
    for pattern, dimms in sorted(set(zip(c.pattern.tolist(), c.dimms.tolist(), strict=True))):
        cell = c.take((c.pattern == pattern) & (c.dimms == dimms))
        of_cell = [_box(pattern, dimms, cell.take(cell.power_w == power)) for power in np.unique(cell.power_w)]
        # between budgets: the ranges that were measured at all of them
        boxes += [*of_cell, _common(of_cell)] if len(of_cell) > 1 else of_cell
    return boxes


def octaves_outside(c: Configurations, boxes: list[dict]) -> np.ndarray:
    """Distance of configurations of one operation from all boxes, in octaves; 0 inside, shape (configurations,)."""
    distance = np.zeros(len(c))
    for pattern in PATTERNS:
        chosen = c.pattern == pattern
        rows = c.take(chosen)
        distance[chosen] = distance_octaves(
            boxes, pattern, rows.access_size_bytes, rows.threads, rows.dimms, rows.power_w
        )
    return distance


def _box(pattern: str, dimms: float, c: Configurations) -> dict:
    ranges = {name: _range(getattr(c, name)) for name in ("access_size_bytes", "threads", "power_w")}
    return {"pattern": pattern, "dimms": int(dimms), **ranges}


def _common(boxes: list[dict]) -> dict:
    shared = {
        name: [max(box[name][0] for box in boxes), min(box[name][1] for box in boxes)]
        for name in ("access_size_bytes", "threads")
    }
    power = [min(box["power_w"][0] for box in boxes), max(box["power_w"][1] for box in boxes)]
    return {"pattern": boxes[0]["pattern"], "dimms": boxes[0]["dimms"], **shared, "power_w": power}


def _range(values: np.ndarray) -> list[float]:
    return [float(values.min()), float(values.max())]
