"""Fit of the remote NUMA node: the time of accesses from it over the time of accesses from the local node."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from pmtwin.calibrate.context import Varied
from pmtwin.calibrate.effect_files import DRAM
from pmtwin.calibrate.effects.fit import fit_effect
from pmtwin.calibrate.effects.fitting import CaseLimits, Fitting, Measured, over_plain
from pmtwin.calibrate.effects.mix_rows import MixRow
from pmtwin.calibrate.effects.remote_dram import remote_of_dram
from pmtwin.calibrate.effects.remote_mixes import OPERATION, remote_of_figure_17
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.probing.cases import BANDWIDTH, Case
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES
from pmtwin.sim.device.law import PATTERNS
from pmtwin.sim.device.profile import Profile

MIN_PAIRS = 4
"""Smallest number of configurations measured on both nodes for a fit of the factor and its spread."""

SIZES = (CACHE_LINE_BYTES, 4096)
SIDES = {"load": "read", "store_clwb": "write"}
"""Operation -> side of the mixes that its entry is read from."""

MIXES_BOX = {"pattern": "random", "access_size_bytes": [64, 64], "threads": [16, 16], "dimms": [6, 6]}
AXES = ("access_size_bytes", "threads", "dimms")


def remote_of_pairs(operation: str, varied: Iterable[Varied], plain: Configurations) -> dict | None:
    """The entry of one operation from configurations measured on both nodes; None if there are too few."""
    local = {
        tuple(key): speed
        for name, *key, speed in zip(
            *(getattr(plain, name).tolist() for name in ("operation", "pattern", *AXES, "bandwidth_mib_s")), strict=True
        )
        if name == operation
    }
    remote: dict[tuple, list[float]] = defaultdict(list)
    for each in varied:
        key = each.pattern, *(getattr(each, name) for name in AXES)
        if each.effect == RemoteFitting.effect.name and each.operation == operation and key in local:
            remote[key].append(each.bandwidth_mib_s)
    if len(remote) < MIN_PAIRS:
        return None
    keys = sorted(remote)
    at_local = np.array([local[key] for key in keys])
    at_remote = np.array([float(np.median(remote[key])) for key in keys])
    fit = fit_effect({"time_factor": 1.0}, lambda p, index: np.log(at_local[index] / p["time_factor"]), at_remote)
    boxes = []
    for pattern in sorted({key[0] for key in keys}):
        columns = zip(*(key[1:] for key in keys if key[0] == pattern), strict=True)
        boxes.append({"pattern": pattern} | {n: [min(c), max(c)] for n, c in zip(AXES, columns, strict=True)})
    return fit.entry(boxes, len(keys)) | {"bandwidth_over_plain": over_plain(at_remote / at_local)}


def remote_of_mixes(local: Sequence[MixRow], remote: Sequence[MixRow], side: str) -> dict:
    """The entry of one operation from mixes: the factor of the pure rows; the mixed rows' spread is its interval."""
    pure = {row.write_share: getattr(row, side) for row in local}
    share = 0.0 if side == "read" else 1.0
    ratios = {
        row.write_share: pure[row.write_share] / getattr(row, side)
        for row in remote
        if row.write_share in pure and getattr(row, side) > 0
    }
    spread = np.abs(np.log(list(ratios.values())) - np.log(ratios[share]))
    half = round(float(spread.max()), 4)
    factor = float(ratios[share])
    return {
        "parameters": {"time_factor": factor},
        "interval_90": {"time_factor": [factor * float(np.exp(-half)), factor * float(np.exp(half))]},
        "not_identified": ["dependence on access size, threads, pattern and DIMMs"],
        "fitted_range": [MIXES_BOX],
        "log_half_width": [half],
        "configurations": len(ratios),
    }


class RemoteFitting(Fitting):
    """The probe measures each case of the remote node on the local node too."""

    effect = Remote()
    closes = "remote NUMA node"

    def cases(self, operation: str, limits: CaseLimits) -> list[tuple[Case, ...]]:
        return [
            tuple(
                Case(BANDWIDTH, operation, pattern, size, threads, varied=varied)
                for varied in ((), ((self.effect.column.name, "remote"),))
            )
            for pattern, size, threads in itertools.product(PATTERNS, SIZES, limits.remote_threads)
        ]

    def fault(self, value: float, operation: str, pattern: str, pure: bool) -> str:
        if value not in (0.0, 1.0):
            return "threads on both nodes at once"
        return "" if pure else self.closes

    def fit(self, operation: str, profile: Profile, measured: Measured) -> dict | None:
        """The entry, from configurations of the device that were measured on both nodes.

        Without them: of DRAM, from sweeps of both nodes; of other memory from FAST'20's figure 17 (for its operation),
        or from mixes of both nodes.
        """
        if measured.plain is not None and (entry := remote_of_pairs(operation, measured.varied, measured.plain)):
            return entry
        if measured.media == DRAM:
            return remote_of_dram(operation, measured.tables)
        if operation == OPERATION and (entry := remote_of_figure_17(measured.tables)):
            return entry
        remote = [row for row in measured.mixes if row.node == "remote"]
        local = [row for row in measured.mixes if row.node == "local" and np.isfinite(row.read)]
        return remote_of_mixes(local, remote, SIDES[operation]) if operation in SIDES and remote and local else None
