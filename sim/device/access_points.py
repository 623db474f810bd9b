"""Points of a device and predictions for them: columns before and after a law or an effect is applied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LawColumns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Access size, threads, DIMMs, power: the arguments of the law."""


@dataclass
class AccessPoints:
    """Points of one operation and pattern, arrays of shape (m,); see `pmtwin predict` for the meaning of each.

    Args:
        varied: key of an effect's column (`pmtwin.sim.device.effects`) -> its values, 0 where it is absent;
            effects without a column here are absent from all points.
    """

    access_size_bytes: np.ndarray
    threads: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    interleaved: np.ndarray
    offered_mib_s: np.ndarray
    varied: dict[str, np.ndarray]

    def take(self, index: np.ndarray) -> AccessPoints:
        """The points at an index array."""
        columns = {name: values[index] for name, values in vars(self).items() if name != "varied"}
        return AccessPoints(**columns, varied={key: values[index] for key, values in self.varied.items()})

    def column(self, name: str) -> np.ndarray:
        """The values of an effect's column, or of any other."""
        return self.varied[name] if name in self.varied else getattr(self, name)

    def has(self, key: str) -> np.ndarray:
        """Masks of the points with an effect, by the key of its column."""
        if key not in self.varied:
            return np.zeros(self.threads.shape, dtype=bool)
        return self.varied[key] != 0

    @property
    def limited(self) -> np.ndarray:
        """Points whose threads offer no more than a given bandwidth."""
        return np.isfinite(self.offered_mib_s)

    @property
    def apart(self) -> np.ndarray:
        """Points with several DIMMs that are not interleaved."""
        return ~self.interleaved & (self.dimms > 1)

    @property
    def plain(self) -> bool:
        """Whether all points are plain accesses."""
        return not (np.any(self.apart) or any(np.any(values) for values in self.varied.values()))

    def law_columns(self) -> LawColumns:
        """The arguments of the law."""
        return self.access_size_bytes, self.threads, self.dimms, self.power_w


@dataclass
class Outcome:
    """Predictions for `AccessPoints`, shape (m,) each; `missing` names the effect that a point lacks, or is empty."""

    issue_mib_s: np.ndarray
    media_mib_s: np.ndarray
    correction: np.ndarray
    log_half_width: np.ndarray
    extrapolated: np.ndarray
    time_factor: np.ndarray
    missing: np.ndarray


def on_separate_dimms(points: AccessPoints) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(DIMMs in use, threads and DIMMs of each set): D DIMMs that are not interleaved are D sets of one.

    Threads spread evenly; fewer threads than DIMMs leave some idle.
    """
    apart = points.apart
    sets = np.where(apart, np.minimum(points.dimms, np.maximum(points.threads, 1.0)), 1.0)
    return sets, points.threads / sets, np.where(apart, 1.0, points.dimms)
