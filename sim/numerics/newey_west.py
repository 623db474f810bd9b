"""Trend of a series whose errors depend on one another, and its standard error (Newey and West, Econometrica 1987)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Trend(NamedTuple):
    """Slope of a straight line by least squares, and its standard error."""

    slope: float
    error: float


def trend(x: np.ndarray, y: np.ndarray, lags: int) -> Trend:
    """The slope of y over x.

    Args:
        x, y: shape (n,), in the order of time.
        lags: steps over which errors may depend on one another, with weights that fall to 0 (Bartlett); 0: White's
            error.
    """
    design = np.column_stack([np.ones(len(x)), np.asarray(x, dtype=float)])
    line, *_ = np.linalg.lstsq(design, np.asarray(y, dtype=float), rcond=None)
    scores = design * (y - design @ line)[:, None]
    middle = scores.T @ scores
    for lag in range(1, lags + 1):
        shared = scores[lag:].T @ scores[:-lag]
        middle += (1.0 - lag / (lags + 1.0)) * (shared + shared.T)
    outer = np.linalg.inv(design.T @ design)
    return Trend(float(line[1]), float(np.sqrt((outer @ middle @ outer)[1, 1])))
