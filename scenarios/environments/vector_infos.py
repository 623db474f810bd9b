"""The `info` of several environments in Gymnasium's form: `name` -> array, `_name` -> mask of the environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def column(values: Sequence) -> np.ndarray:
    """Values of n environments as an array of numbers or objects: shape (n,)."""
    if isinstance(values[0], (bool, int, float)):
        return np.array(values)
    return np.fromiter(values, dtype=object, count=len(values))


def add_columns(
    infos: dict[str, Any], info: Mapping[str, np.ndarray], places: np.ndarray, chosen: np.ndarray, count: int
) -> None:
    """Add the values of some environments to `infos`.

    Args:
        infos: name -> array of shape (count,), and `_name` -> mask; changed.
        info: name -> values of n environments, shape (n,).
        places: indices of these environments, shape (n,).
        chosen: mask of the environments whose values are added, shape (n,).
        count: number of all environments.
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
