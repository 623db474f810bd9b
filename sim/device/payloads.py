"""Time of a payload's bytes, by the prediction of `pmtwin predict` for the accesses that move it."""

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
"""Size from which libpmem copies with non-temporal stores (PMEM_MOVNT_THRESHOLD); below it, it stores and flushes."""

PATTERN = "random"

_cached = lru_cache(maxsize=256)
"""Cache for predictions, which do not depend on host and load; cached arrays are read-only."""


def payload_operation(is_write: bool, size_bytes: float) -> str:
    """The instruction that moves a payload, by its name in the device law."""
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
    """Time per byte, in ns, of one of `threads` equal threads; arrays of shape (n,).

    Args:
        varied: key of an effect's column (`pmtwin.sim.device.effects`) -> its value in all accesses.
    """
    columns = {name: np.full(threads.shape, value) for name, value in varied.items()}
    bandwidth = predict(profile, _points(operations, sizes, threads, dimms) | columns)["bandwidth_mib_s"]
    return threads * 1e9 / (bandwidth * MIB)


def ns_per_byte_among(profile: Profile, operation: str, sizes: np.ndarray, most: int, dimms: float) -> np.ndarray:
    """Time per byte, in ns, of one of 1 to `most` equal threads: shape (n, most); `sizes`: access sizes, shape (n,)."""
    distinct, place = np.unique(sizes, return_inverse=True)
    return _curves(profile, operation, tuple(distinct), most, dimms)[place]


@_cached
def _curves(profile: Profile, operation: str, sizes: tuple[float, ...], most: int, dimms: float) -> np.ndarray:
    threads, count = np.arange(1, most + 1, dtype=float), len(sizes)
    operations = np.full(count * most, operation)
    byte_ns = ns_per_byte(profile, operations, np.repeat(sizes, most), np.tile(threads, count), dimms)
    return _read_only(byte_ns.reshape(count, most))


def _read_only(table: np.ndarray) -> np.ndarray:
    table.setflags(write=False)
    return table


@_cached
def line_media_ns(profile: Profile, operation: str, most: int, dimms: float) -> float:
    """Time of the media per line, in ns, with the best number of threads from 1 to `most`."""
    threads = np.arange(1, most + 1, dtype=float)
    sizes = np.full(most, float(MEDIA_LINE_BYTES))
    byte_ns = ns_per_byte(profile, np.full(most, operation), sizes, threads, dimms)
    return float(MEDIA_LINE_BYTES * (byte_ns / threads).min())


@_cached
def kept_in_mixes(
    profile: Profile, write_operation: str, size: float, most: int, dimms: float
) -> tuple[np.ndarray, np.ndarray]:
    """Speed of accesses in a mix of reads and writes of one size, relative to an equal share of the media's time.

    It is below 1 for accesses that wait behind writes, and above 1 if reads and writes overlap.

    Returns:
        (reads, writes), each of shape (most + 1, most + 1): at [N, w] for N threads of which w write; 1 for N <= 1.
        Reads among N writers, and writes among none, have the value with one thread of their kind.
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
        scaled = predicted[f"{name}_bandwidth_mib_s"] * total
        pure = scaled[threads == total] / total[threads == total]  # of N = 1 .. most threads, in this order
        table = np.ones(inside.shape)
        table[inside] = np.divide(
            scaled, threads * pure[total.astype(int) - 1], out=np.ones_like(scaled), where=threads > 0
        )
        tables.append(table)
    several = np.arange(2, most + 1)
    tables[0][several, several] = tables[0][several, several - 1]
    tables[1][several, 0] = tables[1][several, 1]
    return _read_only(tables[0]), _read_only(tables[1])


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
