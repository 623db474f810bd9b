"""Settings of a device's fit, by the number of its measurements.

With few configurations of an operation (PerMA-Bench has 12 to 42) the mechanism has a stronger prior, each row has more
weight, and the smoothness and size of the residual are fitted.
"""

from __future__ import annotations

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import DENSE, FitSettings
from pmtwin.calibrate.specification import start_values
from pmtwin.sim.device.geometry import INTERLEAVING_CHUNK_BYTES
from pmtwin.sim.device.parameters import MEDIA_LINE

FEW_CONFIGURATIONS = 200
"""Number of configurations of an operation below which they are few."""

FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT = 0.1, 0.01
"""Loss scale and prior weight by cross-validation on three PerMA-Bench machines with 100-series DIMMs and one with
DRAM."""

DRAM_LINE_BYTES = 64.0
MEDIA_LINES = {"dram": {MEDIA_LINE: DRAM_LINE_BYTES}}
"""Kind of memory -> fixed parameters, for media whose line is not the XPLine."""

COLLISIONS = ("collision", "collision_rise", "collision_fall")
"""Parameters of collisions, which random accesses of about an interleaving chunk identify. If they are fitted to short
loads only, they follow other errors of the law, and may predict a fourth of the bandwidth of a whole chunk; those of
stores stay near their start values."""


def fit_settings(configurations: Configurations, media: str, prefetchers: bool | None = None) -> FitSettings:
    """Settings of the fit to the configurations of one operation.

    Args:
        media: kind of memory ("pmem", "dram" or another).
        prefetchers: whether they were on; None if no file states it.
    """
    held = MEDIA_LINES.get(media, {})
    if len(configurations) < FEW_CONFIGURATIONS:
        return FitSettings(
            FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT, held | _collisions(configurations, media), True, prefetchers is not False
        )
    return FitSettings(DENSE.loss_scale, DENSE.prior_weight, held)


def _collisions(configurations: Configurations, media: str) -> dict[str, float]:
    """Fixed parameters of collisions, if random loads are shorter than half a chunk: start values; for DRAM, none."""
    loads = configurations.operation == "load"
    sizes = configurations.access_size_bytes[loads & configurations.random]
    if not sizes.size or sizes.max() >= INTERLEAVING_CHUNK_BYTES / 2:
        return {}
    values = start_values("load") | ({"collision": 0.0} if media == "dram" else {})
    return {name: values[name] for name in COLLISIONS}
