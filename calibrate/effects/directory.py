"""Fit of the directory of two nodes, to accesses of threads on both: number of entries that one media write holds.

The entries are fitted beside the law that predicts with them: that of the same profile, with its residual, its remote
node and its mixes. Where the law has a benchmark's reads too slow, entries of the benchmark's own speed would slow them
twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.effect_files import DRAM
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import Fitting, Measured
from pmtwin.calibrate.effects.shared_accesses import accesses_per_us
from pmtwin.calibrate.effects.shared_rows import SharedRow, shared_rows, write_operation_of
from pmtwin.sim.device.effects.directory import MOST_ENTRIES, SHARED_EQUALLY, Directory
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MEDIA_LINE_BYTES, MIB
from pmtwin.sim.device.profile import Profile

PATTERN = "random"
"""Pattern of all `SharedRow`."""

STREAMED_ENTRIES = MOST_ENTRIES**0.5
"""Entries of streamed reads that a media write holds: not measured, the geometric mean of 1 and `MOST_ENTRIES`."""


class DirectoryFitting(Fitting):
    """Fitting to PerMA-Bench's threads on both nodes; the probe has no cases, as its threads run on one node."""

    effect = Directory()
    closes = "reads of lines that the other NUMA node used last"
    of_each_operation = False

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        return self.closes

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        """The entry of loads; None for DRAM, and where the profile does not predict the rows without a directory."""
        if measured.media == DRAM or operation not in self.effect.operations:
            return None
        rows = [row for row in shared_rows(measured.tables) if row.remote_share == SHARED_EQUALLY]
        return entry_of_rows(profile, rows) if rows and _predicts(profile, rows) else None


def _predicts(profile: Profile, rows: Sequence[SharedRow]) -> bool:
    """Whether the profile has reads and these writes, random ones, from the local and from the remote node."""
    remote = (profile.effects or {}).get(Remote.name, {})
    return all(
        operation in remote and any(box["pattern"] == PATTERN for box in profile.fitted_range.get(operation, ()))
        for operation in ("load", write_operation_of(rows))
    )


def entry_of_rows(profile: Profile, rows: Sequence[SharedRow]) -> dict:
    """The entry of loads, fitted beside a profile's law to rows with threads on both nodes."""
    line_write_ns = _line_write_ns(profile.parameters[write_operation_of(rows)])
    first = rows[0]
    axes = {"access_size_bytes": first.access_size_bytes, "threads": first.threads, "dimms": float(FULL_SET_DIMMS)}
    boxes = [{"pattern": PATTERN} | {name: [value, value] for name, value in axes.items()}]

    def stated(parameters: Mapping[str, float]) -> dict:
        return {"line_write_ns": line_write_ns, "streamed_entries_per_write": STREAMED_ENTRIES, **parameters}

    def log_accesses(directory: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        entry = {"parameters": stated(directory), "fitted_range": boxes, "log_half_width": [0.0]}
        return np.log(accesses_per_us(with_directory(profile, entry), [rows[number] for number in index]))

    measured, shares = (np.array([getattr(row, name) for row in rows]) for name in ("accesses_per_us", "write_share"))
    range_of_entries = np.log(MOST_ENTRIES / STREAMED_ENTRIES)  # from one to all entries of a media line
    starts = {"entries_per_write": STREAMED_ENTRIES}
    fit = fit_effect(starts, log_accesses, measured, groups=shares, half_range=range_of_entries)
    entry = fit.entry(boxes, len(rows))
    entry["parameters"] = stated(entry["parameters"])
    entry["interval_90"] = {
        "line_write_ns": [line_write_ns] * 2,
        "streamed_entries_per_write": [1.0, MOST_ENTRIES],
        **{name: np.clip(ends, 1.0, MOST_ENTRIES).tolist() for name, ends in entry["interval_90"].items()},
    }
    entry["not_identified"] = [*entry["not_identified"], "streamed_entries_per_write"]
    return entry


def with_directory(profile: Profile, entry: Mapping) -> Profile:
    """The profile with an entry of loads in its directory."""
    return replace(profile, effects={**(profile.effects or {}), Directory.name: {"load": entry}})


def _line_write_ns(parameters: Mapping[str, float]) -> float:
    """Time in ns of one DIMM for the write of a media line, by the law of writes."""
    return MEDIA_LINE_BYTES * 1e9 / (parameters["media_mib_s"] * MIB)
