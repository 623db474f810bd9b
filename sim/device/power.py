"""Power budget of a DIMM, 12 to 18 W: a small one slows down its media."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

REFERENCE_POWER_W = 15.0
"""Default budget of a 256 GB module; media bandwidths are those at this budget."""

FITTED_POWER_W = (12.5, 18.0)


def power_factor(parameters: Mapping[str, float], power_w: np.ndarray) -> np.ndarray:
    """Media bandwidth at a budget of `power_w` W over that at 15 W; 1 at 15 W.

    A power of the budget, one exponent below and one above 15 W; constant outside the measured range.
    """
    clipped = np.clip(power_w, *FITTED_POWER_W) / REFERENCE_POWER_W
    exponent = np.where(clipped < 1.0, parameters["low_power_exponent"], parameters["high_power_exponent"])
    return clipped**exponent
