"""The device model's curves with their 90 % intervals, and the measured points where they are at hand."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pmtwin.calibrate.measurements import group
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile, load_profile

OPERATIONS = ("load", "ntstore", "store_clwb")
THREAD_SIZES_BYTES = (64, 256, 4096, 1_048_576)
SIZE_THREADS = (1, 4, 16)
THREADS = np.arange(1, 25, dtype=float)
CACHE_LINE_BYTES = 64
SIZES = np.unique(np.round(2.0 ** np.arange(6, 21.01, 0.125) / CACHE_LINE_BYTES)) * CACHE_LINE_BYTES
"""Whole cache lines, as in every measurement."""
DIMMS, POWER_W, PATTERN = 6, 15.0, "random"
MIX_THREADS, MIX_SIZE_BYTES, MIX_WRITE = 16, 64, "ntstore"
"""FAST'20, figure 6: 16 threads, random 64 B accesses, reads beside non-temporal stores."""

SWEEP, MIX_FILE = "lattester_bandwidth.csv", "fast20_06-bandwidth_thmix.csv"
MIB_PER_MB = 1e6 / 2**20


def run(profile_name: str, data: Path | None) -> dict:
    """Curves of a profile and, if `data` is the folder of measurements, their points.

    Returns:
        `threads`, `sizes`: lists of curves {operation, fixed (size or threads), x, bandwidth_mib_s, low, high,
        extrapolated, points: {x, bandwidth_mib_s}}; `mix`: the same over the number of reading threads; `data`: the
        names of the files that the points come from.
    """
    profile = load_profile(profile_name)
    measured = _configurations(data)
    threads = [
        _curve(profile, operation, np.full(THREADS.shape, float(size)), THREADS, "threads", size, measured)
        for operation in OPERATIONS
        for size in THREAD_SIZES_BYTES
    ]
    sizes = [
        _curve(profile, operation, SIZES, np.full(SIZES.shape, float(count)), "sizes", count, measured)
        for operation in OPERATIONS
        for count in SIZE_THREADS
    ]
    return {
        "profile": profile.name,
        "dimms": DIMMS,
        "power_w": POWER_W,
        "pattern": PATTERN,
        "threads": threads,
        "sizes": sizes,
        "mix": _mix(profile, data),
        "data": [name for name in (SWEEP, MIX_FILE) if data is not None and (data / name).is_file()],
    }


def _curve(profile: Profile, operation: str, sizes, threads, axis: str, fixed: int, measured) -> dict:
    points = {
        "operation": np.full(sizes.shape, operation),
        "pattern": np.full(sizes.shape, PATTERN),
        "access_size_bytes": sizes,
        "threads": threads,
        "dimms": np.full(sizes.shape, float(DIMMS)),
        "power_w": np.full(sizes.shape, POWER_W),
        "write_operation": np.full(sizes.shape, ""),
    }
    x = threads if axis == "threads" else sizes
    return {
        "operation": operation,
        "fixed": int(fixed),
        "x": x.tolist(),
        **_predicted(profile, points),
        "points": _points(measured, operation, axis, fixed),
    }


def _predicted(profile: Profile, points: dict) -> dict:
    predicted = predict(profile, points)
    has_interval = bool(np.all(np.isfinite(predicted["bandwidth_low_mib_s"])))
    return {
        "bandwidth_mib_s": predicted["bandwidth_mib_s"].tolist(),
        "low_mib_s": predicted["bandwidth_low_mib_s"].tolist() if has_interval else None,
        "high_mib_s": predicted["bandwidth_high_mib_s"].tolist() if has_interval else None,
        "extrapolated": predicted["extrapolated"].tolist(),
    }


def _configurations(data: Path | None):
    """Medians of the cleaned sweep, or None where it is not at hand."""
    if data is None or not (data / SWEEP).is_file():
        return None
    measurements, _ = read_sources([data / SWEEP])
    return group(measurements)[0]


def _points(measured, operation: str, axis: str, fixed: int) -> dict | None:
    if measured is None:
        return None
    held, x = (
        (measured.access_size_bytes, measured.threads)
        if axis == "threads"
        else (measured.threads, measured.access_size_bytes)
    )
    chosen = (measured.operation == operation) & (measured.pattern == PATTERN) & (held == fixed)
    chosen &= (measured.dimms == DIMMS) & (measured.power_w == POWER_W)
    order = np.argsort(x[chosen], kind="stable")
    return {
        "x": x[chosen][order].astype(float).tolist(),
        "bandwidth_mib_s": measured.bandwidth_mib_s[chosen][order].tolist(),
    }


def _mix(profile: Profile, data: Path | None) -> dict:
    readers = np.arange(0, MIX_THREADS + 1, dtype=float)
    same = readers.shape
    points = {
        "operation": np.full(same, "mixed"),
        "pattern": np.full(same, PATTERN),
        "access_size_bytes": np.full(same, float(MIX_SIZE_BYTES)),
        "threads": np.full(same, float(MIX_THREADS)),
        "read_threads": readers,
        "write_threads": MIX_THREADS - readers,
        "write_operation": np.full(same, MIX_WRITE),
        "dimms": np.full(same, float(DIMMS)),
        "power_w": np.full(same, POWER_W),
    }
    measured = _measured_mix(data)
    return {"x": readers.tolist(), **_predicted(profile, points), "points": measured}


def _measured_mix(data: Path | None) -> dict | None:
    """FAST'20, figure 6, in MiB/s (the file has decimal MB/s)."""
    if data is None or not (data / MIX_FILE).is_file():
        return None
    with open(data / MIX_FILE, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    readers: Sequence[float] = [float(row["Read-Write"].split("-")[0]) for row in rows]
    bandwidth = [float(row["PM-Optane"]) * MIB_PER_MB for row in rows]
    return {"x": list(readers), "bandwidth_mib_s": bandwidth}
