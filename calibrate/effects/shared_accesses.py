"""Accesses of threads that each read and write in turns, as a profile predicts them (`SharedRow`).

`predict` divides the threads into readers and writers. A thread that does both reads for a share of its time, and
writes for the rest: the shares are those at which its accesses take just that time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.calibrate.effects.shared_rows import SharedRow
from pmtwin.sim.device.effects.directory import SHARED_EQUALLY
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MIB
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict_bandwidth
from pmtwin.sim.device.profile import Profile

MOST_STEPS = 100
CONVERGED = 1e-13
"""Change of the share of the time below which a step is the last."""


def accesses_per_us(profile: Profile, rows: Sequence[SharedRow]) -> np.ndarray:
    """Accesses of all threads in a us, reads and writes together, shape (rows,)."""
    predicted = predict_bandwidth(profile, points_of(rows, writing_time(profile, rows)))["bandwidth_mib_s"]
    return predicted * MIB / np.array([row.access_size_bytes for row in rows]) / 1e6


def writing_time(profile: Profile, rows: Sequence[SharedRow]) -> np.ndarray:
    """Share of the threads' time that goes to writes, shape (rows,)."""
    wanted = np.array([row.write_share for row in rows])
    inner = (wanted > 0.0) & (wanted < 1.0)
    writing = wanted
    for _ in range(MOST_STEPS):
        predicted = predict_bandwidth(profile, points_of(rows, writing))
        moved = {side: predicted[f"{side}_bandwidth_mib_s"] for side in ("read", "write")}
        reads, writes = (
            share * time / np.where(inner, moved[side], 1.0)  # time of all accesses of a kind
            for share, time, side in ((1.0 - wanted, 1.0 - writing, "read"), (wanted, writing, "write"))
        )
        before, writing = writing, np.where(inner, writes / np.where(inner, reads + writes, 1.0), wanted)
        if np.max(np.abs(writing - before), initial=0.0) <= CONVERGED:
            break
    return writing


def points_of(rows: Sequence[SharedRow], writing: np.ndarray) -> Mapping[str, np.ndarray]:
    """Columns of `pmtwin.sim.device.prediction.predict`.

    Args:
        writing: share of the threads' time that goes to writes, shape (rows,).
    """
    threads, size, remote = (
        np.array([getattr(row, name) for row in rows]) for name in ("threads", "access_size_bytes", "remote_share")
    )
    same = threads.shape
    return {
        "operation": np.full(same, MIXED),
        "pattern": np.full(same, "random"),
        "access_size_bytes": size,
        "threads": threads,
        "read_threads": threads * (1.0 - writing),
        "write_threads": threads * writing,
        "write_operation": np.array([row.operation for row in rows]),
        "dimms": np.full(same, float(FULL_SET_DIMMS)),
        "power_w": np.full(same, REFERENCE_POWER_W),
        "remote": remote,
        "last_elsewhere": np.where(remote == SHARED_EQUALLY, SHARED_EQUALLY, 0.0),
    }
