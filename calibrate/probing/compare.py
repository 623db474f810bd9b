"""Repeatability of a probe: differences between two results in their common cases, and the noise within each result."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np

from pmtwin.calibrate.context import Varied
from pmtwin.calibrate.measurements import KEYS, Measurements, group, noise_percent
from pmtwin.calibrate.percentage_errors import ape
from pmtwin.calibrate.readers import read_sources
from pmtwin.sim.errors import InputError

LARGEST = 5
LATENCY_KEYS = ("operation", "pattern", "access_size_bytes")
BANDWIDTH = "bandwidth_mib_s"


def compare(first: str | os.PathLike, second: str | os.PathLike) -> dict:
    """Compare two results of measurement, of any format that `pmtwin calibrate` reads.

    Returns:
        `cases`: number of common cases; `difference_percent`: [median, mean, 90th percentile] of |second / first - 1|,
        computed from the median of each case; `by_operation`: the same by operation; `shift_percent`: median of the
        signed difference; `noise_percent`: of each result; `effects` (strides, fences, remote node): number of common
        `cases` and their `difference_percent`; `latencies`: the common ones; `largest`: the largest differences, worst
        first.

    Raises:
        InputError: a file cannot be read, or there is no common case.
    """
    pair = [_read(path) for path in (first, second)]
    keys, logs = _in_common(pair)
    if not keys:
        raise InputError("--compare", f"{first} {second}", "two probes that measured some of the same cases")
    ratio = logs[1] - logs[0]
    operation = np.array([key[0] for key in keys])
    return {
        "cases": len(keys),
        "difference_percent": ape(ratio),
        "by_operation": {str(name): ape(ratio[operation == name]) for name in np.unique(operation)},
        "shift_percent": round(100.0 * float(np.expm1(np.median(ratio))), 2),
        "noise_percent": [_noise(each) for each in pair],
        "effects": _effects(pair),
        "latencies": list(_latencies(pair)),
        "largest": [
            dict(zip(KEYS, keys[at], strict=True))
            | {"difference_percent": round(100.0 * float(np.expm1(ratio[at])), 2)}
            for at in np.argsort(-np.abs(ratio))[:LARGEST]
        ],
    }


def _read(path: str | os.PathLike) -> Measurements:
    try:
        return read_sources([path])[0]
    except InputError as error:
        raise error.renamed("--compare", error.where) from error


def _in_common(pair: list[Measurements]) -> tuple[list[tuple], np.ndarray]:
    """The keys of the common cases, and the log bandwidths of both results, shape (2, cases)."""
    medians = []
    for each in pair:
        configurations, _ = group(each)
        columns = zip(*(getattr(configurations, name).tolist() for name in KEYS), strict=True)
        medians.append(dict(zip(columns, np.log(configurations.bandwidth_mib_s).tolist(), strict=True)))
    keys = sorted(set(medians[0]) & set(medians[1]))
    return keys, np.array([[medians_by_key[key] for key in keys] for medians_by_key in medians])


def _noise(measurements: Measurements) -> list[float] | None:
    noise = noise_percent(measurements, *group(measurements))
    return ape(np.log1p(noise / 100.0)) if noise.size else None


def _effects(pair: list[Measurements]) -> dict | None:
    keys = [field.name for field in fields(Varied) if field.name != BANDWIDTH]
    pairs = [values for _, *values in _medians([each.context.varied for each in pair], keys, BANDWIDTH)]
    return {"cases": len(pairs), "difference_percent": ape(np.diff(np.log(pairs)).ravel())} if pairs else None


def _medians(pair: list[Sequence], keys: Sequence[str], value: str) -> Iterator[tuple[tuple, float, float]]:
    """(key, median of the first, median of the second) of each common case."""
    medians = []
    for each in pair:
        by_case: dict[tuple, list[float]] = {}
        for entry in each:
            by_case.setdefault(tuple(getattr(entry, name) for name in keys), []).append(getattr(entry, value))
        medians.append({key: float(np.median(values)) for key, values in by_case.items()})
    for key in sorted(set(medians[0]) & set(medians[1])):
        yield key, medians[0][key], medians[1][key]


def _latencies(pair: list[Measurements]) -> Iterator[dict]:
    for key, a, b in _medians([each.context.latencies for each in pair], LATENCY_KEYS, "latency_ns"):
        yield dict(zip(LATENCY_KEYS, key, strict=True)) | {
            "first_ns": round(a, 2),
            "second_ns": round(b, 2),
            "difference_percent": round(100.0 * (b / a - 1.0), 2),
        }
