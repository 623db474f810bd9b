"""Points of a device, and the intermediate results of their prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LawColumns = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Arguments of the law: access size, threads, DIMMs, power."""


@dataclass
class AccessPoints:
    """Points of one operation and pattern: arrays of shape (m,), with the meaning of the columns of `pmtwin predict`.

    Args:
        sets: sets of DIMMs in use, of which `threads`, `dimms` and `offered_mib_s` are those of one.
        varied: key of an effect's column (`pmtwin.sim.device.effects`) -> its values, 0 without the effect. An effect
            without an entry is absent from all points.
    """

    access_size_bytes: np.ndarray
    threads: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    interleaved: np.ndarray
    offered_mib_s: np.ndarray
    sets: np.ndarray
    varied: dict[str, np.ndarray]

    def take(self, index: np.ndarray) -> AccessPoints:
        """The points at an index array."""
        columns = {name: values[index] for name, values in vars(self).items() if name != "varied"}
        return AccessPoints(**columns, varied={key: values[index] for key, values in self.varied.items()})

    def column(self, name: str) -> np.ndarray:
        """The values of a column, of an effect or of the points."""
        return self.varied[name] if name in self.varied else getattr(self, name)

    def has(self, key: str) -> np.ndarray:
        """Mask of the points with an effect, by the key of its column."""
        if key not in self.varied:
            return np.zeros(self.threads.shape, dtype=bool)
        return self.varied[key] != 0

    @property
    def limited(self) -> np.ndarray:
        """Mask of the points with a limited offered bandwidth."""
        return np.isfinite(self.offered_mib_s)

    @property
    def not_interleaved(self) -> np.ndarray:
        """Mask of the points with several DIMMs that are not interleaved."""
        return ~self.interleaved & (self.dimms > 1)

    @property
    def plain(self) -> bool:
        """Whether all points are plain accesses."""
        return not (np.any(self.not_interleaved) or any(np.any(values) for values in self.varied.values()))

    def law_columns(self) -> LawColumns:
        """The arguments of the law."""
        return self.access_size_bytes, self.threads, self.dimms, self.power_w


@dataclass
class Outcome:
    """Intermediate results for `AccessPoints`, shape (m,) each.

    Args:
        issue_mib_s, media_mib_s: bounds of the cores and of the media.
        correction: factor of the residual on the bandwidth.
        log_half_width: half-width of the 90 % interval of log bandwidth; NaN without an interval.
        extrapolated: whether a point lies outside the data.
        time_factor: time of an access, relative to the local node.
        missing: effect that the profile does not identify, or "".
    """

    issue_mib_s: np.ndarray
    media_mib_s: np.ndarray
    correction: np.ndarray
    log_half_width: np.ndarray
    extrapolated: np.ndarray
    time_factor: np.ndarray
    missing: np.ndarray


def on_separate_dimms(points: AccessPoints) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(number of sets in use, threads of a set, DIMMs of a set).

    DIMMs that are not interleaved are sets of one, over which the threads spread evenly; with fewer threads than DIMMs,
    some DIMMs are idle.
    """
    separate = points.not_interleaved
    sets = np.where(separate, np.minimum(points.dimms, np.maximum(points.threads, 1.0)), 1.0)
    return sets, points.threads / sets, np.where(separate, 1.0, points.dimms)
