"""Bandwidth measurements as columns, the dropped rows, and their grouping into configurations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pmtwin.calibrate.context import Context, join_contexts
from pmtwin.sim.device.power import REFERENCE_POWER_W

KEYS = ("operation", "pattern", "dimms", "power_w", "threads", "access_size_bytes")
"""Columns that define a configuration."""


@dataclass(frozen=True)
class Source:
    """A file that was read: its name without the path, format, SHA-256, number of rows and of usable rows."""

    name: str
    reader: str
    sha256: str
    rows: int
    usable: int


class Dropped(Counter[str]):
    """Number of unusable rows by reason, and their places (file:line), if the reader records them."""

    def __init__(self, counts: Counter | dict | None = None):
        super().__init__(counts or {})
        self.places: dict[str, list[str]] = {
            reason: list(places) for reason, places in getattr(counts, "places", {}).items()
        }

    def count(self, reason: str, place: str = "") -> None:
        """Count an unusable row."""
        self[reason] += 1
        if place:
            self.places.setdefault(reason, []).append(place)

    def add(self, other: Counter) -> Dropped:
        """Add the rows of `other`; returns itself."""
        self.update(other)
        for reason, places in getattr(other, "places", {}).items():
            self.places.setdefault(reason, []).extend(places)
        return self


def _nowhere() -> np.ndarray:
    return np.empty(0, dtype=str)


@dataclass(frozen=True)
class Measurements:
    """Usable measurements, all arrays of shape (rows,).

    Args:
        operation, pattern: names as in `pmtwin.sim.device.law`.
        dimms, power_w, threads, access_size_bytes: as in `pmtwin.sim.device.law.bandwidth_mib_s`.
        bandwidth_mib_s: total of all threads.
        effective_write_ratio: 1 / write amplification; NaN where it was not measured.
        session: day, run or machine of a measurement; "" (the default): not stated.
        place: file and line of a row; "" (the default): not recorded.
        sources: the files.
        dropped: reason -> rows.
        context: further contents of the files.
    """

    operation: np.ndarray
    pattern: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    threads: np.ndarray
    access_size_bytes: np.ndarray
    bandwidth_mib_s: np.ndarray
    effective_write_ratio: np.ndarray
    session: np.ndarray = field(default_factory=_nowhere)
    place: np.ndarray = field(default_factory=_nowhere)
    sources: tuple[Source, ...] = ()
    dropped: Dropped = field(default_factory=Dropped)
    context: Context = field(default_factory=Context)

    def __post_init__(self) -> None:
        for name in ("session", "place"):
            if not getattr(self, name).size:
                object.__setattr__(self, name, np.full(len(self), ""))

    def __len__(self) -> int:
        return self.bandwidth_mib_s.size

    def take(self, index: np.ndarray) -> Measurements:
        """The measurements at an index array or mask, of the same sources."""
        return replace(self, **{name: getattr(self, name)[index] for name in _COLUMNS})


_COLUMNS = (*KEYS, "bandwidth_mib_s", "effective_write_ratio", "session", "place")


def join(parts: Sequence[Measurements]) -> Measurements:
    """The measurements of all parts."""
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS}
    sources = tuple(source for part in parts for source in part.sources)
    dropped = Dropped()
    for part in parts:
        dropped.add(part.dropped)
    context = join_contexts([part.context for part in parts])
    return Measurements(**columns, sources=sources, dropped=dropped, context=context)


def from_rows(rows: Sequence[dict], dropped: Counter, context: Context) -> Measurements:
    """Measurements from mappings, one for each usable row.

    A row has the `KEYS` (power is optional, 15 W) and `bandwidth_mib_s`; `effective_write_ratio` and `place` are
    optional.
    """

    def column(name: str, default: float | str | None = None) -> np.ndarray:
        values = [row.get(name, default) for row in rows]
        return np.array(values, dtype=str if name in ("operation", "pattern", "place") else float)

    return Measurements(
        operation=column("operation"),
        pattern=column("pattern"),
        dimms=column("dimms"),
        threads=column("threads"),
        access_size_bytes=column("access_size_bytes"),
        power_w=column("power_w", REFERENCE_POWER_W),
        bandwidth_mib_s=column("bandwidth_mib_s"),
        effective_write_ratio=column("effective_write_ratio", np.nan),
        place=column("place", ""),
        dropped=Dropped(dropped),
        context=context,
    )


def nothing_measured(media: str) -> Measurements:
    """No measurements of a device with a kind of memory; "": of any kind."""
    return from_rows([], Counter(), Context(media))


@dataclass(frozen=True)
class Configurations:
    """Distinct configurations in a fixed order, all arrays of shape (configurations,).

    Args:
        bandwidth_mib_s: median of the replicates.
        effective_write_ratio: median of the measured values, or NaN.
        replicates: number of rows.
    """

    operation: np.ndarray
    pattern: np.ndarray
    dimms: np.ndarray
    power_w: np.ndarray
    threads: np.ndarray
    access_size_bytes: np.ndarray
    bandwidth_mib_s: np.ndarray
    effective_write_ratio: np.ndarray
    replicates: np.ndarray

    def __len__(self) -> int:
        return self.bandwidth_mib_s.size

    def take(self, index: np.ndarray) -> Configurations:
        """The configurations at an index array or mask."""
        return Configurations(**{name: values[index] for name, values in vars(self).items()})

    @property
    def random(self) -> np.ndarray:
        """Mask of the configurations with pattern random."""
        return self.pattern == "random"


def group(measurements: Measurements) -> tuple[Configurations, np.ndarray]:
    """(configurations with the medians of their replicates, index of each measurement's configuration)."""
    keys = np.rec.fromarrays([getattr(measurements, name) for name in KEYS], names=",".join(KEYS))  # type: ignore[call-overload]  # names are enough
    unique, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    bandwidth = _medians(measurements.bandwidth_mib_s, inverse, counts.size)
    ratio = _medians(measurements.effective_write_ratio, inverse, counts.size)
    columns = {name: np.asarray(unique[name]) for name in KEYS}
    configurations = Configurations(
        **columns, bandwidth_mib_s=bandwidth, effective_write_ratio=ratio, replicates=counts
    )
    return configurations, inverse


def noise_percent(measurements: Measurements, configurations: Configurations, inverse: np.ndarray) -> np.ndarray:
    """Deviation, in %, of each replicated measurement from its configuration's median: a bound for errors of models."""
    replicated = configurations.replicates[inverse] > 1
    median = configurations.bandwidth_mib_s[inverse[replicated]]
    return 100.0 * np.abs(measurements.bandwidth_mib_s[replicated] / median - 1.0)


def _medians(values: np.ndarray, group_of: np.ndarray, groups: int) -> np.ndarray:
    """Median of the finite values of each group, or NaN."""
    medians = np.full(groups, np.nan)
    finite = np.isfinite(values)
    order = np.argsort(group_of[finite], kind="stable")
    group_order, sorted_values = group_of[finite][order], values[finite][order]
    starts = np.searchsorted(group_order, np.arange(groups + 1))
    for index in range(groups):
        if starts[index] < starts[index + 1]:
            medians[index] = np.median(sorted_values[starts[index] : starts[index + 1]])
    return medians
