"""Settings of a device's fit: a sweep of thousands of rows and a benchmark of a hundred need different ones.

With few configurations of one operation (PerMA-Bench has 12 to 42) the mechanism has a stronger prior, each row has
more weight, and the smoothness and size of the residual are fitted.
"""

from __future__ import annotations

from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.mechanism import DENSE, FitSettings
from pmtwin.calibrate.specification import start_values
from pmtwin.sim.device.geometry import INTERLEAVING_CHUNK_BYTES
from pmtwin.sim.device.parameters import MEDIA_LINE

FEW_CONFIGURATIONS = 200
"""Number of configurations of one operation below which the fit counts as one of few."""

FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT = 0.1, 0.01
"""Loss scale and prior weight by cross-validation on three PerMA-Bench machines with 100-series DIMMs and one with
DRAM."""

DRAM_LINE_BYTES = 64.0
MEDIA_LINES = {"dram": {MEDIA_LINE: DRAM_LINE_BYTES}}
"""Fixed parameters by the kind of memory: where the media's line is not the XPLine."""

COLLISIONS = ("collision", "collision_rise", "collision_fall")
"""Parameters of collisions, informed by random accesses of about an interleaving chunk. Fitted to short loads alone
they follow other misses of the law, and predict as little as a fourth of the bandwidth of a whole chunk; those of
stores stay near their starts."""


def fit_settings(configurations: Configurations, media: str, prefetchers: bool | None = None) -> FitSettings:
    """Settings of the fit to the configurations of one operation.

    Args:
        media: kind of memory ("pmem", "dram" or another).
        prefetchers: whether they were on; None where no file states it.
    """
    held = MEDIA_LINES.get(media, {})
    if len(configurations) < FEW_CONFIGURATIONS:
        return FitSettings(
            FEW_LOSS_SCALE, FEW_PRIOR_WEIGHT, held | _untold(configurations, media), True, prefetchers is not False
        )
    return FitSettings(DENSE.loss_scale, DENSE.prior_weight, held)


def _untold(configurations: Configurations, media: str) -> dict[str, float]:
    """Parameters of collisions at their starts, where no random load reaches half a chunk; DRAM has no such chunks."""
    loads = configurations.operation == "load"
    sizes = configurations.access_size_bytes[loads & configurations.random]
    if not sizes.size or sizes.max() >= INTERLEAVING_CHUNK_BYTES / 2:
        return {}
    values = start_values("load") | ({"collision": 0.0} if media == "dram" else {})
    return {name: values[name] for name in COLLISIONS}
