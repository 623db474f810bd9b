"""The two numbers that are tuned, the same at all OSCs: window of RPCs in flight, least gap between two (tau)."""

from __future__ import annotations

from pmtwin.sim.control import Settings
from pmtwin.sim.lustre.cluster import MOST_WINDOW

STEP, TAU_STEP_US = 4, 1500
"""Steps of the authors' code, which starts at `START` and refuses what leads out of 1 to 256 and of 0 to 400,000 us."""

START = (8, 32_840)
MOST_TAU_US = 400_000

DEFAULT = (8, 0)
"""Lustre's own: no limit of the rate."""

LIMITS = Settings.of(
    "limits",
    {
        "window": range(START[0] % STEP or STEP, MOST_WINDOW + 1, STEP),
        "tau_us": (0, *range(START[1] % TAU_STEP_US, MOST_TAU_US + 1, TAU_STEP_US)),
    },
    moves=((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)),
)
"""64 windows, and the 266 gaps that steps reach from the start; beside them 0, one step below the least of these."""
