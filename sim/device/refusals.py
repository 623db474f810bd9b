"""Predictions for the points that a profile covers, and reasons for the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError

_KINDS = ("operation", "pattern", "write_operation", "read_pattern", "write_pattern")
"""Columns that determine which entries of a profile a point needs."""

Predict = Callable[[Profile, Mapping[str, np.ndarray]], dict[str, np.ndarray]]


def predict_known(
    profile: Profile, points: Mapping[str, np.ndarray], predict: Predict = predict
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Predict the points that the profile was fitted to.

    Args:
        points: columns as of `pmtwin.sim.device.prediction.predict`, shape (n,) each.
        predict: function that predicts points, all of which the profile covers.

    Returns:
        (columns as of `predict`, with NaN or False for refused points; reason of each refusal, or "", shape (n,)). If
        all points are refused, there are no columns.
    """
    count = len(points["operation"])
    refused = np.full(count, "", dtype=object)
    try:
        return predict(profile, points), refused
    except InputError as error:
        if count == 1:
            refused[0] = _reason(error)
            return {}, refused
    parts = []
    for rows in _kinds(points, count):
        try:
            parts.append((rows, predict(profile, {name: values[rows] for name, values in points.items()})))
        except InputError as error:
            refused[rows] = _reason(error)
    return _joined(parts, count), refused


def _reason(error: InputError) -> str:
    return f"{error.field} {error.value} is not known; known: {error.allowed}"


def _kinds(points: Mapping[str, np.ndarray], count: int) -> list[np.ndarray]:
    """Index arrays of points that need the same entries of a profile."""
    columns = [np.asarray(points[name]).astype(str) for name in _KINDS if name in points]
    kinds: dict[tuple, list[int]] = {}
    for row, kind in enumerate(zip(*columns, strict=True)):
        kinds.setdefault(kind, []).append(row)
    return [np.array(rows) for rows in kinds.values()]


def _joined(parts: list[tuple[np.ndarray, dict[str, np.ndarray]]], count: int) -> dict[str, np.ndarray]:
    joined: dict[str, np.ndarray] = {}
    for rows, columns in parts:
        for name, values in columns.items():
            if name not in joined:
                empty = {"b": False, "O": ""}.get(values.dtype.kind, np.nan)
                joined[name] = np.full(count, empty, dtype=values.dtype)
            joined[name][rows] = values
    return joined
