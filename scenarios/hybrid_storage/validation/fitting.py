"""The numbers of a device from the times of its accesses: latency, bandwidth, and what takes longer after a pause."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

from pmtwin.scenarios.hybrid_storage.validation.sampling import Samples
from pmtwin.sim.hybrid.devices import US
from pmtwin.sim.hybrid.stream import PAGE_BYTES

FASTEST_GB_S = 1e3
"""Bandwidth where longer accesses take no longer."""

IDLE_NS = np.array([30.0, 100.0, 300.0, 1000.0, 3000.0]) * US
"""Limits between the idle times whose samples are averaged together."""

HALVES_NS = np.geomspace(20.0, 20_000.0, 31) * US
"""Idle times after which half of the further latency is reached, of which the best one is taken."""

PARTS, FEWEST = 9, 8
"""Parts of the samples whose means have their median taken, and samples of a part at least."""


class Row(NamedTuple):
    """Samples of a kind that are averaged.

    Fields:
        idle_ns, latency_ns: means. samples: their number.
    """

    write: bool
    pages: int
    idle_ns: float
    latency_ns: float
    samples: int

    def document(self) -> dict[str, Any]:
        """For a record, in us."""
        values = {"write": self.write, "pages": self.pages, "samples": self.samples}
        return {**values, "idle_us": self.idle_ns / US, "us": self.latency_ns / US}


def rows_of(samples: Samples) -> list[Row]:
    """Samples of one device, averaged by kind, size and idle time; those without an idle time are left out."""
    rows, place = [], np.digitize(samples.idle_ns, IDLE_NS)
    for write in (False, True):
        for pages in np.unique(samples.pages):
            for number in range(len(IDLE_NS) + 1):
                alike = (samples.write == write) & (samples.pages == pages) & (place == number)
                part = samples.chosen(alike & ~np.isnan(samples.idle_ns))
                if count := len(part.pages):
                    mean = median_of_means(part.latency_ns)
                    rows.append(Row(write, int(pages), float(part.idle_ns.mean()), mean, count))
    return rows


def median_of_means(values: np.ndarray) -> float:
    """The mean, but for a few values out of all proportion: the median of the means of up to `PARTS` parts in a row."""
    parts = int(np.clip(len(values) // FEWEST, 1, PARTS))
    return float(np.median([part.mean() for part in np.array_split(values, parts)]))


def fitted_times(rows: list[Row]) -> dict[str, float]:
    """Fields of `sim.hybrid.devices.BlockDevice`, by least squares of relative errors; no time below zero."""
    best, least = {}, np.inf
    for half_ns in HALVES_NS:
        error, values = 0.0, {"wake_half_us": float(half_ns / US)}
        for write, kind in ((False, "read"), (True, "write")):
            (latency_ns, ns_per_byte, wake_ns), misfit = _one_kind([row for row in rows if row.write == write], half_ns)
            error += misfit
            values |= {f"{kind}_us": latency_ns / US, f"{kind}_wake_us": wake_ns / US}
            values[f"{kind}_gb_s"] = 1.0 / max(ns_per_byte, 1.0 / FASTEST_GB_S)
        if error < least:
            best, least = values, error
    return best


def _one_kind(rows: list[Row], half_ns: float) -> tuple[list[float], float]:
    """((latency in ns, ns per byte, further latency after a pause), sum of squared errors)."""
    time, idle_ns, size = (
        np.array(column, float)
        for column in zip(*((row.latency_ns, row.idle_ns, row.pages * PAGE_BYTES) for row in rows), strict=True)
    )
    weight = np.sqrt([row.samples for row in rows]) / time
    columns = np.stack([np.ones(len(rows)), size / PAGE_BYTES, idle_ns / (idle_ns + half_ns)], axis=1)
    if np.ptp(size) == 0.0:
        columns[:, 1] = 0.0  # of one size nothing is known of the bandwidth
    (latency_ns, page_ns, wake_ns), error = nnls(columns * weight[:, None], time * weight)
    return [float(latency_ns), float(page_ns / PAGE_BYTES), float(wake_ns)], float(error) ** 2
