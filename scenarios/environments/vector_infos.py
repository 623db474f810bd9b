"""The `info` of several environments in Gymnasium's form: an array of each name, and as `_name` whom it is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def column(values: Sequence) -> np.ndarray:
    """A value of each environment as an array, shape (n,): of numbers, or of objects."""
    if isinstance(values[0], (bool, int, float)):
        return np.array(values)
    return np.fromiter(values, dtype=object, count=len(values))


def add_columns(
    infos: dict[str, Any], info: Mapping[str, np.ndarray], places: np.ndarray, chosen: np.ndarray, count: int
) -> None:
    """Add what some of `count` environments say.

    Args:
        infos: name -> array of shape (count,), and `_name` -> mask; changed.
        info: name -> array of shape (n,), of n environments.
        places: shape (n,), their numbers.
        chosen: shape (n,), mask of the environments.
    """
    if not chosen.any():
        return
    places = places[chosen]
    mask = np.zeros(count, dtype=bool)
    mask[places] = True
    for name, values in info.items():
        infos[name] = np.full(count, None) if values.dtype == object else np.zeros(count, dtype=values.dtype)
        infos[name][places] = values[chosen]
        infos[f"_{name}"] = mask.copy()
