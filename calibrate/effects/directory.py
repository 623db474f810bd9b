"""Fit of the directory of two nodes, to accesses of threads on both: number of entries that one media write holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.effect_files import DRAM
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import Fitting, Measured
from pmtwin.calibrate.effects.shared_rows import SharedRow, shared_rows
from pmtwin.sim.device import law
from pmtwin.sim.device.access_effects import plain_bounds
from pmtwin.sim.device.effects.directory import (
    MOST_ENTRIES,
    SHARED_EQUALLY,
    Directory,
    beside_entries_mib_s,
    entry_ns_per_byte,
)
from pmtwin.sim.device.effects.media_queue import Side, line_use, queued_bandwidth_mib_s
from pmtwin.sim.device.effects.remote import mean_factor
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MEDIA_LINE_BYTES, MIB
from pmtwin.sim.device.power import REFERENCE_POWER_W

STREAMED_ENTRIES = MOST_ENTRIES**0.5
"""Entries of streamed reads that a media write holds: not measured, the geometric mean of 1 and `MOST_ENTRIES`."""

BISECTIONS = 50


class DirectoryFitting(Fitting):
    """Fitting to PerMA-Bench's threads on both nodes; the probe has no cases, as its threads run on one node."""

    effect = Directory()
    closes = "reads of lines that the other NUMA node used last"
    of_each_operation = False

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        return self.closes

    def fit(self, operation: str, parameters: Mapping[str, Mapping[str, float]], measured: Measured) -> dict | None:
        if measured.media == DRAM:
            return None
        rows = shared_rows(measured.tables)
        writes = next((row.operation for row in rows if row.operation), "")
        if operation not in self.effect.operations or writes not in parameters:
            return None
        return entry_of_rows(rows, SharedBench(parameters, rows, writes))


def entry_of_rows(rows: Sequence[SharedRow], bench: SharedBench) -> dict:
    """The entry of loads, fitted to the rows with threads on both nodes."""
    both = [row for row in rows if row.remote_share == SHARED_EQUALLY]
    shares = np.array([row.write_share for row in both])

    def log_bandwidth(directory: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        return np.log([bench.accesses_per_us(both[i], directory["entries_per_write"]) for i in index])

    measured = np.array([row.accesses_per_us for row in both])
    fit = fit_effect({"entries_per_write": STREAMED_ENTRIES}, log_bandwidth, measured, groups=shares)
    one = rows[0]
    axes = {"access_size_bytes": one.access_size_bytes, "threads": one.threads, "dimms": float(FULL_SET_DIMMS)}
    entry = fit.entry([{"pattern": "random"} | {name: [value, value] for name, value in axes.items()}], len(both))
    entry["parameters"] |= {"line_write_ns": bench.line_write_ns, "streamed_entries_per_write": STREAMED_ENTRIES}
    entry["interval_90"] |= {
        "line_write_ns": [bench.line_write_ns] * 2,
        "streamed_entries_per_write": [1.0, MOST_ENTRIES],
    }
    entry["not_identified"] = [*entry["not_identified"], "streamed_entries_per_write"]
    return entry


@dataclass(frozen=True)
class SharedBench:
    """Predicts a benchmark with threads on both nodes by the law, scaled to the benchmark's own pure reads and writes.

    Args:
        parameters: operation -> parameters of the law.
        rows: of the benchmark; pure reads and pure writes of each node are among them.
        writes: the operation of its writes.
    """

    parameters: Mapping[str, Mapping[str, float]]
    rows: Sequence[SharedRow]
    writes: str

    @property
    def line_write_ns(self) -> float:
        """Time in ns of one DIMM for the write of a media line."""
        return MEDIA_LINE_BYTES * 1e9 / (self.parameters[self.writes]["media_mib_s"] * MIB)

    def accesses_per_us(self, row: SharedRow, entries_per_write: float) -> float:
        """Accesses of all threads in a us, reads and writes together, in the shares of the row."""
        size = row.access_size_bytes
        if row.write_share in (0.0, 1.0):
            side = self._side(row, row.write_share == 1.0, entries_per_write)
            return float(law.join_bounds(side.parameters, side.issue, side.media)) * MIB / size / 1e6
        low, high = 0.0, 1.0  # share of the time that a thread writes
        for _ in range(BISECTIONS):
            writing = 0.5 * (low + high)
            read, write = self._sides(row, writing, entries_per_write)
            low, high = (writing, high) if write < row.write_share * (read + write) else (low, writing)
        return float(read + write) * MIB / size / 1e6

    def _sides(self, row: SharedRow, writing: float, entries_per_write: float) -> tuple[np.ndarray, np.ndarray]:
        reads, writes = (
            self._side(row, side, entries_per_write, share) for side, share in ((False, 1 - writing), (True, writing))
        )
        return queued_bandwidth_mib_s(reads, writes)

    def _side(self, row: SharedRow, write: bool, entries_per_write: float, share: float = 1.0) -> Side:
        parameters = self.parameters[self.writes if write else "load"]
        size, dimms = np.asarray(row.access_size_bytes), np.asarray(float(FULL_SET_DIMMS))
        at = size, np.asarray(row.threads), dimms, np.asarray(REFERENCE_POWER_W)
        issue, media = plain_bounds(parameters, "random", at)
        end = 1.0 if write else 0.0
        local, remote = self._end(0.0, end), self._end(1.0, end)
        predicted = law.join_bounds(parameters, issue, media) * MIB / size / 1e6
        issue, media = issue * local / predicted, media * local / predicted
        if not write and row.remote_share == SHARED_EQUALLY:
            directory = {"line_write_ns": self.line_write_ns, "entries_per_write": entries_per_write}
            directory |= {"streamed_entries_per_write": entries_per_write}
            entry_ns = entry_ns_per_byte(directory, np.asarray(False), np.asarray(SHARED_EQUALLY), dimms)
            media = beside_entries_mib_s(media, entry_ns)
        slower = mean_factor(local / remote, np.asarray(row.remote_share))
        use = line_use(parameters, np.asarray(True), size) if write else 1.0
        return Side(parameters, np.asarray(share), issue / slower, media / slower, use)

    def _end(self, remote_share: float, write_share: float) -> float:
        ends = (row for row in self.rows if (row.remote_share, row.write_share) == (remote_share, write_share))
        return next(ends).accesses_per_us
