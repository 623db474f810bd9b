"""The far NUMA node: each access takes a factor longer than from the near one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pmtwin.sim.device.access_points import AccessPoints, Outcome
from pmtwin.sim.device.cells import name_in
from pmtwin.sim.device.effects.effect import Column, VariedEffect

NODES = ("local", "remote")

PARAMETERS = {"time_factor": "time of an access from the far node over that from the near one"}


class Far(VariedEffect):
    """`numa`: which node the threads are on, seen from the memory."""

    name = "remote"
    parameters = PARAMETERS
    column = Column("numa", "remote", NODES)
    own_latency = True
    in_mixes = True

    def read(self, row: Mapping[str, str], pattern: str, access_size_bytes: float, where: str) -> bool:
        return name_in(self.column.name, row, NODES, where) == "remote"

    def apply(
        self,
        parameters: Mapping[str, float],
        entry: Mapping,
        pattern: str,
        points: AccessPoints,
        outcome: Outcome,
        present: np.ndarray,
    ) -> None:
        outcome.time_factor[present] = entry["parameters"]["time_factor"]
        self.widen(entry, pattern, points, outcome, present)


def mix_factors(mixes: Mapping, threads: np.ndarray, write_share: np.ndarray) -> np.ndarray:
    """Time of a mix from the far node over that from the near one, arrays of one shape.

    Interpolated over the share of writes, and over the logarithm of the threads; beyond the measured numbers of
    threads, that of the nearest.

    Args:
        mixes: of a profile's entry, with `threads`, `write_shares` and `time_factors` of shape (threads, shares).
    """
    counts, shares, logs = np.log(mixes["threads"]), mixes["write_shares"], np.log(mixes["time_factors"])
    curves = np.array([np.interp(write_share, shares, curve) for curve in logs])
    place = np.interp(np.log(threads), counts, np.arange(counts.size))
    below = np.minimum(place.astype(int), counts.size - 2)
    low, high = (np.take_along_axis(curves, (below + step)[None], axis=0)[0] for step in (0, 1))
    return np.exp(low + (place - below) * (high - low))
