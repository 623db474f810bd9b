"""Latency of one dependent access: idle, and under load.

Idle values: FAST'20, figure 2 (one access, fence after it). Under load a media line waits for those before it:
`idle + t_line rho / (2 (1 - rho))`, the mean wait of a queue with constant service time; t_line is fitted to the
latency-against-bandwidth curve of FAST'20, figure 6.
"""

from __future__ import annotations

import numpy as np

UTILISATION_CAP = 0.98
"""The formula has a pole at 1; a closed system of threads never waits longer than this allows."""


def loaded_latency_ns(idle_ns: float, line_ns: float, utilisation: np.ndarray) -> np.ndarray:
    """Latency in ns of one access at a utilisation of the media of 0 (idle) to 1, capped below the pole."""
    rho = np.clip(utilisation, 0.0, UTILISATION_CAP)
    return idle_ns + line_ns * rho / (2.0 * (1.0 - rho))
