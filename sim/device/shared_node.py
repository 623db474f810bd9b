"""Times of accesses to one node's memory by threads of that node and of others: local and remote, reads and writes.

A local thread takes as long as if all threads were local, a remote one as if all were remote: each has the speed of its
node (`pmtwin.sim.device.effects.remote`). Reads also pay for the directory, by how often a line's last user was of the
other kind (`pmtwin.sim.device.effects.directory`): near and far reads have the same share, and a write makes a user
as a read does. Threads of several remote nodes are one kind: lines that change hands between two of these nodes are not
counted. What the links carry is not regarded here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pmtwin.sim.device.effects.directory import LAST_NODES, MOST_ENTRIES, Directory, stating_entries
from pmtwin.sim.device.effects.remote import Remote
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MIB
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict_bandwidth
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.errors import InputError, check_range

LOCAL, REMOTE = 0, 1
READ, WRITE = 0, 1

SIDES = ("read", "write")

NORMAL_95 = 1.6449
"""Standard deviations from the middle of a normal distribution to the ends of its 90 % interval."""


class NodeAccesses(NamedTuple):
    """Accesses of the threads.

    Fields:
        read_bytes, write_bytes: sizes of an access.
        write_operation: "ntstore", or "store_clwb".
        pattern: "random" or "sequential".
    """

    read_bytes: float
    write_bytes: float
    write_operation: str
    pattern: str = "random"


class NodeErrors(NamedTuple):
    """Errors of the times of a plausible device, in standard deviations of their intervals.

    Fields:
        device: shape (2,), by operation, of the device as threads of either node see it.
        far: shape (2,), of what the intervals of remote threads have beyond those of local ones.
    """

    device: np.ndarray
    far: np.ndarray


class NodeTimes(NamedTuple):
    """Times of the accesses of a thread beside all others, for each of B populations.

    Fields:
        ns_per_byte: shape (B, 2, 2), by distance (`LOCAL`, `REMOTE`) and operation (`READ`, `WRITE`).
        low, high: ends of the 90 % interval, of the same shape; NaN where the profile knows none.
        extrapolated: shape (B,), whether any kind of thread that is there lies outside the measurements.
        directory_share: shape (B,), share of the lines read whose last user was of the other node.
    """

    ns_per_byte: np.ndarray
    low: np.ndarray
    high: np.ndarray
    extrapolated: np.ndarray
    directory_share: np.ndarray

    def factors(self, errors: NodeErrors) -> np.ndarray:
        """Times of a plausible device over these, shape (B, 2, 2); 1 where the profile knows no interval."""
        sd = np.nan_to_num(np.log(self.high / self.low)) / (2.0 * NORMAL_95)
        beyond = np.sqrt(np.maximum(sd[:, REMOTE] ** 2 - sd[:, LOCAL] ** 2, 0.0))
        common = np.minimum(sd[:, REMOTE], sd[:, LOCAL])
        remote = common * errors.device + beyond * errors.far
        return np.exp(np.stack([sd[:, LOCAL] * errors.device, remote], axis=1))


def node_times(
    profile: Profile,
    accesses: NodeAccesses,
    counts: np.ndarray,
    *,
    dimms: float,
    entries_per_write: float | None = None,
    last_node: str | None = None,
) -> NodeTimes:
    """Times of threads that access one node's memory at once.

    Args:
        counts: threads that access it, shape (B, 2, 2), real-valued; a kind without threads gets the times beside the
            others, or alone. Less than one thread in all counts as one.
        entries_per_write: directory entries of streamed reads in a media write; None: unknown, the interval spans it.
        last_node: "same" or "other": who used all lines last; None: by the accesses of both kinds.

    Raises:
        InputError: an argument outside its range, or a profile without the effects of two nodes.
    """
    counts = np.asarray(counts, dtype=float)
    _check(counts, last_node)
    if entries_per_write is not None:
        check_range("entries_per_write", entries_per_write, 1.0, MOST_ENTRIES)
        profile = replace(profile, effects=stating_entries(profile.effects, entries_per_write))
    share = _last_elsewhere(profile, accesses, counts, last_node)
    threads = _at_least_one(counts.sum(axis=1))
    empty, none = threads.sum(axis=1) == 0.0, threads == 0.0
    alone = (
        np.where(empty[:, None], [1.0, 0.0], threads),
        np.where(empty[:, None], [0.0, 1.0], np.where(none, 1.0, threads)),
    )
    times, lacking = _times(profile, accesses, alone[0], share, dimms), np.flatnonzero(np.any(alone[0] == 0.0, axis=1))
    if lacking.size:
        others = _times(profile, accesses, alone[1][lacking], share[lacking], dimms)
        times[:, lacking] = np.where((alone[0][lacking] == 0.0)[:, None, :], others, times[:, lacking])
    value, low, high, outside = times
    used = np.any((outside > 0.0) & (counts > 0.0), axis=(1, 2))
    return NodeTimes(value, low, high, used, share)


def _at_least_one(threads: np.ndarray) -> np.ndarray:
    """Readers and writers, shape (B, 2), in the same proportions where they are less than one thread together."""
    total = threads.sum(axis=1, keepdims=True)
    return threads / np.where((total > 0.0) & (total < 1.0), total, 1.0)


def _check(counts: np.ndarray, last_node: str | None) -> None:
    if counts.ndim != 3 or counts.shape[1:] != (2, 2):
        raise InputError("counts", counts.shape, "an array of shape (populations, 2, 2)")
    if not np.all(np.isfinite(counts) & (counts >= 0.0)):
        raise InputError("counts", counts.min(), "finite numbers of threads, at least 0")
    if last_node is not None and last_node not in LAST_NODES:
        raise InputError("last_node", last_node, f"{', '.join(LAST_NODES)} or none")


def _last_elsewhere(profile: Profile, accesses: NodeAccesses, counts: np.ndarray, last_node: str | None) -> np.ndarray:
    """Share of the lines read that threads of the other node used last, shape (B,): all accesses are alike random.

    Where nobody reads, it is that of lines which the writers would read.
    """
    if last_node is not None:
        return np.full(len(counts), float(last_node == LAST_NODES[1]))
    remote = (profile.effects or {}).get(Remote.name, {})
    factors = [
        remote.get(operation, {"parameters": {"time_factor": 1.0}})["parameters"]["time_factor"]
        for operation in ("load", accesses.write_operation)
    ]
    made = counts[:, LOCAL].sum(axis=1), (counts[:, REMOTE] / factors).sum(axis=1)
    elsewhere = made[1] / np.maximum(made[0] + made[1], 1e-9)
    reads = counts[:, :, READ].sum(axis=1, keepdims=True) > 0.0
    readers = np.where(reads, counts[:, :, READ], counts[:, :, WRITE])
    met = readers[:, LOCAL] * elsewhere + readers[:, REMOTE] * (1.0 - elsewhere)
    return np.divide(met, readers.sum(axis=1), out=np.zeros(len(counts)), where=readers.sum(axis=1) > 0.0)


def _times(
    profile: Profile, accesses: NodeAccesses, threads: np.ndarray, share: np.ndarray, dimms: float
) -> np.ndarray:
    """Shape (4, B, 2, 2): time in ns per byte, the ends of its interval, and whether it is extrapolated.

    Args:
        threads: that read, and that write, shape (B, 2).
        share: of the lines read that the other node used last.
    """
    rows = len(threads)
    remote = np.repeat([0.0, 1.0], rows)
    points = _points(accesses, np.tile(threads, (2, 1)), np.tile(share, 2), remote, dimms)
    predicted = predict_bandwidth(profile, points)
    unknown = predicted["not_identified"][predicted["not_identified"] != ""]
    if unknown.size:
        raise InputError("profile", profile.name, f"one that identifies {unknown[0]}, for threads of two nodes")
    result = np.empty((4, 2, rows, 2))
    for number, side in enumerate(SIDES):
        moved = predicted[f"{side}_bandwidth_mib_s"].reshape(2, rows) * (MIB / 1e9)
        result[0, :, :, number] = np.divide(threads[:, number], moved, out=np.ones_like(moved), where=moved > 0.0)
    for place, end in ((1, "high"), (2, "low")):
        ratio = predicted["bandwidth_mib_s"] / predicted[f"bandwidth_{end}_mib_s"]
        result[place] = result[0] * ratio.reshape(2, rows)[:, :, None]
    result[3] = predicted["extrapolated"].reshape(2, rows)[:, :, None]
    return np.moveaxis(result, 1, 2)


def _points(
    accesses: NodeAccesses, threads: np.ndarray, share: np.ndarray, remote: np.ndarray, dimms: float
) -> Mapping[str, np.ndarray]:
    """Columns for `pmtwin.sim.device.prediction.predict_bandwidth`."""
    columns = {
        "operation": MIXED,
        "pattern": accesses.pattern,
        "access_size_bytes": max(accesses.read_bytes, CACHE_LINE_BYTES),
        "write_access_size_bytes": max(accesses.write_bytes, CACHE_LINE_BYTES),
        "write_operation": accesses.write_operation,
        "dimms": float(dimms),
        "power_w": REFERENCE_POWER_W,
    }
    total = threads.sum(axis=1)
    return {name: np.full(total.size, value) for name, value in columns.items()} | {
        "threads": total,
        "read_threads": threads[:, READ],
        "write_threads": threads[:, WRITE],
        Remote.column.key: remote,
        Directory.column.key: share,
    }
