"""Time of a payload's bytes: the prediction of `pmtwin predict` for the accesses that move it.

Times come from the predictions alone: inside the data the mechanism with its residual, outside the data the mechanism.
Predictions of mixes show how far reads and writes slow each other down beyond sharing the media's time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from pmtwin.sim.device.geometry import MEDIA_LINE_BYTES, MIB
from pmtwin.sim.device.points import MIXED
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile

NT_THRESHOLD_BYTES = 256
"""libpmem copies with non-temporal stores from this size on (PMEM_MOVNT_THRESHOLD), below it stores and flushes."""

PATTERN = "random"

_remembered = lru_cache(maxsize=256)
"""Predictions of a device are the same for every host and load on it; arrays that are remembered are not writable."""


def payload_operation(is_write: bool, size_bytes: float) -> str:
    """The instruction that moves a payload, in the names of the device law."""
    if not is_write:
        return "load"
    return "ntstore" if size_bytes >= NT_THRESHOLD_BYTES else "store_clwb"


def ns_per_byte(
    profile: Profile,
    operations: np.ndarray,
    sizes: np.ndarray,
    threads: np.ndarray,
    dimms: float,
    varied: Mapping[str, float] = MappingProxyType({}),
) -> np.ndarray:
    """Time per byte of one of `threads` equal threads; arrays of shape (n,).

    Args:
        varied: key of an effect's column (`pmtwin.sim.device.effects`) -> its value in all accesses.
    """
    columns = {name: np.full(threads.shape, value) for name, value in varied.items()}
    bandwidth = predict(profile, _points(operations, sizes, threads, dimms) | columns)["bandwidth_mib_s"]
    return threads * 1e9 / (bandwidth * MIB)


def ns_per_byte_among(profile: Profile, operation: str, sizes: np.ndarray, most: int, dimms: float) -> np.ndarray:
    """Time per byte of accesses of `sizes`, shape (n,), among 1 to `most` threads of the same kind: shape (n, most)."""
    distinct, place = np.unique(sizes, return_inverse=True)
    return _curves(profile, operation, tuple(distinct), most, dimms)[place]


@_remembered
def _curves(profile: Profile, operation: str, sizes: tuple[float, ...], most: int, dimms: float) -> np.ndarray:
    threads, count = np.arange(1, most + 1, dtype=float), len(sizes)
    operations = np.full(count * most, operation)
    each = ns_per_byte(profile, operations, np.repeat(sizes, most), np.tile(threads, count), dimms)
    return _fixed(each.reshape(count, most))


def _fixed(table: np.ndarray) -> np.ndarray:
    table.setflags(write=False)
    return table


@_remembered
def line_media_ns(profile: Profile, operation: str, most: int, dimms: float) -> float:
    """Time of the media for one line, when as many threads as serve them best move lines."""
    threads = np.arange(1, most + 1, dtype=float)
    sizes = np.full(most, float(MEDIA_LINE_BYTES))
    each = ns_per_byte(profile, np.full(most, operation), sizes, threads, dimms)
    return float(MEDIA_LINE_BYTES * (each / threads).min())


@_remembered
def kept_in_mixes(
    profile: Profile, write_operation: str, size: float, most: int, dimms: float
) -> tuple[np.ndarray, np.ndarray]:
    """Shares that accesses in a mix of reads and writes of one size get of their equal part of the media's time: below
    1 for accesses that wait behind writes, above 1 where both overlap.

    Returns:
        (reads, writes), each of shape (most + 1, most + 1): at [N, w] the share among N threads of which w write; 1 for
        N <= 1. Reads among N writers, and writes among none, have the share with one thread of their kind.
    """
    total, writers = np.meshgrid(np.arange(most + 1), np.arange(most + 1), indexing="ij")
    inside = (writers <= total) & (total > 0)
    total, writers = total[inside].astype(float), writers[inside].astype(float)
    predicted = predict(
        profile,
        _points(np.full(total.size, MIXED), np.full(total.size, size), total, dimms)
        | {
            "read_threads": total - writers,
            "write_threads": writers,
            "write_operation": np.full(total.size, write_operation),
        },
    )
    tables = []
    for name, threads in (("read", total - writers), ("write", writers)):
        each = predicted[f"{name}_bandwidth_mib_s"] * total
        pure = each[threads == total] / total[threads == total]  # of N = 1 .. most threads, in this order
        table = np.ones(inside.shape)
        table[inside] = np.divide(
            each, threads * pure[total.astype(int) - 1], out=np.ones_like(each), where=threads > 0
        )
        tables.append(table)
    several = np.arange(2, most + 1)
    tables[0][several, several] = tables[0][several, several - 1]
    tables[1][several, 0] = tables[1][several, 1]
    return _fixed(tables[0]), _fixed(tables[1])


def _points(operations: np.ndarray, sizes: np.ndarray, threads: np.ndarray, dimms: float) -> dict[str, np.ndarray]:
    """Columns for `pmtwin.sim.device.prediction.predict`."""
    return {
        "operation": operations,
        "pattern": np.full(threads.size, PATTERN),
        "access_size_bytes": sizes,
        "threads": threads,
        "dimms": np.full(threads.size, float(dimms)),
        "power_w": np.full(threads.size, REFERENCE_POWER_W),
    }
