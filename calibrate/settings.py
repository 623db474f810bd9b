"""How a device is fitted: a sweep of thousands of rows and a benchmark of a hundred want different care.

With few configurations of one operation (PerMA-Bench has 12 to 42) the mechanism is held by a stronger prior, no row
is one of many that could outvote it, and the residual finds out by itself how smooth and how large it is.
"""

from __future__ import annotations

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import DENSE, FitSettings
from pmtwin.sim.device.parameters import MEDIA_LINE

FEW_CONFIGURATIONS = 200
"""Of one operation; below it the fit counts as one of few."""

FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT = 0.1, 0.01
"""Chosen by cross-validation on three PerMA-Bench machines with 100-series DIMMs and one with DRAM."""

DRAM_LINE_BYTES = 64.0
MEDIA_LINES = {"dram": {MEDIA_LINE: DRAM_LINE_BYTES}}
"""By the kind of memory: where the media's line is not the XPLine."""


def fit_settings(configurations: Configurations, media: str) -> FitSettings:
    """For the configurations of one operation, of a kind of memory ("pmem", "dram" or another)."""
    held = MEDIA_LINES.get(media, {})
    if len(configurations) < FEW_CONFIGURATIONS:
        return FitSettings(FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT, held, few=True)
    return FitSettings(DENSE.loss_scale, DENSE.prior_weight, held)
