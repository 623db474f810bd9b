"""The directory of two NUMA nodes: each line has an entry in the memory itself with the node that used it last.

A read of a line that threads of the other node used last changes the line's entry. The media write the entry like any
part of a media line, in time that is lost for data. A write of a line includes its entry. Threads of one node alone do
not change entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.device.cells import name_in
from pmtwin.sim.device.effects.effect import Column, VariedEffect
from pmtwin.sim.device.effects.remote import BOTH, Remote
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES, MIB
from pmtwin.sim.device.power import power_factor

LAST_NODES = ("same", "other")

SHARED_EQUALLY = 0.5
"""Share of reads whose line the other node used last, where half of the threads run on each node."""

MOST_ENTRIES = MEDIA_LINE_BYTES / CACHE_LINE_BYTES
"""Number of entries of a media line: one for each of its cache lines."""

STREAMED = "streamed_entries_per_write"

PARAMETERS = {
    "line_write_ns": "time of one DIMM for the write of a media line, in ns",
    "entries_per_write": "entries that one write of a media line holds, of scattered reads",
    STREAMED: "the same of reads of whole media lines; not measured: 1 to 4",
}


def entry_ns_per_byte(
    directory: Mapping[str, float], streamed: np.ndarray, last_elsewhere: np.ndarray, dimms: np.ndarray
) -> np.ndarray:
    """Time in ns that the media of `dimms` DIMMs spend on entries for each byte that is read.

    Args:
        streamed: whether whole media lines are read.
        last_elsewhere: share of the lines that the other node used last.
    """
    held = np.where(streamed, directory[STREAMED], directory["entries_per_write"])
    return last_elsewhere / CACHE_LINE_BYTES * directory["line_write_ns"] / held / dimms


def beside_entries_mib_s(media_mib_s: np.ndarray, entry_ns: np.ndarray) -> np.ndarray:
    """Media bound in MiB/s of data, where the media also spend `entry_ns` on entries for each byte."""
    return media_mib_s / (1.0 + media_mib_s * entry_ns * (MIB / 1e9))


def stating_entries(effects: Mapping[str, Any] | None, count: float) -> dict[str, Any]:
    """The effects of a profile, with a stated number of entries of streamed reads in a media write."""
    stated = {
        operation: {
            **entry,
            "parameters": {**entry["parameters"], STREAMED: count},
            "interval_90": {**(entry.get("interval_90") or {}), STREAMED: [count, count]},
        }
        for operation, entry in (effects or {}).get(Directory.name, {}).items()
    }
    return {**(effects or {}), Directory.name: stated}


def without_entries(effects: Mapping[str, Any] | None) -> dict[str, Any]:
    """The effects of a profile whose media write no entries, whoever used a line last."""
    parameters = {"line_write_ns": 0.0, "entries_per_write": 1.0, STREAMED: 1.0}
    everywhere = [{"pattern": pattern} for pattern in law.PATTERNS]
    entry = {
        "parameters": parameters, "interval_90": {STREAMED: [1.0, 1.0]}, "not_identified": [],
        "fitted_range": everywhere, "log_half_width": [0.0],
    }  # fmt: skip
    return {**(effects or {}), Directory.name: {"load": entry}}


class Directory(VariedEffect):
    """The effect with column `last_node`: whether each line was last used from the node of the access."""

    name = "directory"
    parameters = PARAMETERS
    column = Column("last_node", "last_elsewhere", LAST_NODES)
    axes = ("access_size_bytes", "threads", "dimms")
    operations = ("load",)
    measured_beside = Remote.column.key
    in_mixes = True

    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> float:
        return float(name_in(self.column.name, row, LAST_NODES, where) == "other")

    def unread(self, row: Mapping[str, str]) -> float:
        """Threads on both nodes use each other's lines."""
        return SHARED_EQUALLY if row.get(Remote.column.name) == BOTH else self.column.absent

    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        """Lower the media bound.

        The interval of reads of whole media lines spans 1 to `MOST_ENTRIES` entries in a write, or what the profile
        states.
        """
        size, _, dimms, power_w = (column[present] for column in points.law_columns())
        streamed = (size >= MEDIA_LINE_BYTES) | (pattern == "sequential")
        share = points.column(self.column.key)[present] / power_factor(parameters, power_w)
        issue, media = outcome.issue_mib_s[present], outcome.media_mib_s[present]

        def bound(changed: Mapping[str, float]) -> np.ndarray:
            directory = {**entry["parameters"], **changed}
            return beside_entries_mib_s(media, entry_ns_per_byte(directory, streamed, share, dimms))

        self.widen(entry, pattern, points, outcome, present)
        ends = (law.join_bounds(parameters, issue, bound({STREAMED: end})) for end in _ends(entry))
        least, most = np.log(list(ends))
        outcome.media_mib_s[present] = bound({})
        half = np.hypot(outcome.log_half_width[present], 0.5 * (most - least))
        outcome.log_half_width[present] = np.where(streamed, half, outcome.log_half_width[present])


def _ends(entry: Mapping) -> tuple[float, float]:
    """Fewest and most entries of streamed reads in a write: not measured, unless the profile states one number."""
    stated = (entry.get("interval_90") or {}).get(STREAMED, (1.0, MOST_ENTRIES))
    return stated[0], stated[1]
