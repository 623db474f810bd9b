"""The part of a profile that tells of effects, from the law of the profile and files that measured them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from calibrate.effects.fit import EffectFit, fit_effect
from calibrate.effects.mix_rows import MixRow, mix_rows
from calibrate.effects.mixes import MIN_MIXES, fit_mixes, inner
from calibrate.effects.rows import EffectRows, bandwidth_rows, read_effect_tables
from calibrate.validation import ape
from sim.device import law
from sim.device.effects import FENCES, MIXES, REMOTE, STRIDES
from sim.device.fences import fenced_issue_mib_s
from sim.device.issue import issue_bound_mib_s
from sim.device.strides import strided_bounds_mib_s
from sim.device.variations import LONG_STRIDE_BYTES

MIN_ROWS = 12
"""Fewer configurations with an effect do not identify its parameters."""

STRIDE_STARTS = {
    "loss_one_dimm": 0.3,
    "loss_full_set": 2.0,
    "critical_stride_bytes": 2000.0,
    "onset_exponent": 4.0,
    "size_exponent_one_dimm": 0.5,
    "size_exponent_full_set": 0.5,
    "thread_exponent_one_dimm": 0.5,
    "thread_exponent_full_set": 0.5,
}
FENCE_STARTS = {
    "random_ns": 200.0,
    "sequential_ns": 200.0,
    "overlap_norm": 4.0,
    "line_saving": 0.2,
    "saving_bytes": 2048.0,
}
STRIDE_AXES = ("access_size_bytes", "threads", "dimms", "stride_bytes", "power_w")
FENCE_AXES = ("fence_interval_bytes", "threads", "dimms", "power_w")
REMOTE_BOX = {"pattern": "random", "access_size_bytes": [64, 64], "threads": [16, 16], "dimms": [6, 6]}


def fit_effects(
    parameters: Mapping[str, Mapping[str, float]], paths: Sequence[str | os.PathLike]
) -> dict[str, dict[str, dict]]:
    """Effects that the files identify: effect -> operation -> entry, see `sim.device.effects`.

    Args:
        parameters: operation -> parameters of the law.

    Raises:
        InputError: a file that cannot be read.
    """
    tables = read_effect_tables(paths)
    rows, mixes = bandwidth_rows(tables), mix_rows(tables)
    effects: dict[str, dict[str, dict]] = {STRIDES: {}, FENCES: {}, REMOTE: {}, MIXES: {}}
    for operation, values in parameters.items():
        mine = rows.take(rows.operation == operation)
        strided, fenced = mine.take(mine.stride_bytes > 0), mine.take(mine.fence_interval_bytes > 0)
        if len(strided) >= MIN_ROWS:
            effects[STRIDES][operation] = _strides(values, strided)
        if len(fenced) >= MIN_ROWS:
            effects[FENCES][operation] = _fences(values, fenced)
    far = [row for row in mixes if row.node == "far"]
    near = [row for row in mixes if row.node == "near" and np.isfinite(row.read)]
    for operation, side in (("load", "read"), ("store_clwb", "write")):
        if operation in parameters and far and near:
            effects[REMOTE][operation] = _remote(near, far, side)
    for operation in parameters:
        mixed = inner(mixes, operation)
        if len(mixed) >= MIN_MIXES and "load" in parameters:
            effects[MIXES][operation] = fit_mixes(mixed)
    return {name: operations for name, operations in effects.items() if operations}


def _strides(parameters: Mapping[str, float], rows: EffectRows) -> dict:
    def log_bandwidth(strided: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        size, threads, dimms, power = (column[index] for column in rows.law_columns())
        bounds = strided_bounds_mib_s(parameters, strided, size, rows.stride_bytes[index], threads, dimms, power)
        return np.log(law.join_bounds(parameters, *bounds))

    starts = {"first_line_ns": parameters["first_line_sequential_ns"], **STRIDE_STARTS}
    fit = fit_effect(starts, log_bandwidth, rows.bandwidth_mib_s)
    long = rows.stride_bytes >= LONG_STRIDE_BYTES
    return _entry(fit, rows, STRIDE_AXES, [fit.errors[~long], fit.errors[long]])


def _fences(parameters: Mapping[str, float], rows: EffectRows) -> dict:
    random = rows.pattern == "random"
    issue = issue_bound_mib_s(parameters, random, *rows.law_columns()[:2])
    media = law.media_bound_mib_s(parameters, random, *rows.law_columns())

    def log_bandwidth(fence: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        interval, threads = rows.fence_interval_bytes[index], rows.threads[index]
        fenced = fenced_issue_mib_s(fence, random[index], interval, threads, issue[index])
        return np.log(law.join_bounds(parameters, fenced, media[index]))

    fit = fit_effect(FENCE_STARTS, log_bandwidth, rows.bandwidth_mib_s)
    return _entry(fit, rows, FENCE_AXES, [fit.errors])


def _entry(fit: EffectFit, rows: EffectRows, axes: Sequence[str], errors: list[np.ndarray]) -> dict:
    boxes = []
    for pattern in sorted(set(rows.pattern.tolist())):
        for dimms in np.unique(rows.dimms[rows.pattern == pattern]):
            cell = rows.take((rows.pattern == pattern) & (rows.dimms == dimms))
            ranges = {name: [float(getattr(cell, name).min()), float(getattr(cell, name).max())] for name in axes}
            boxes.append({"pattern": pattern, **ranges})
    return {
        "parameters": fit.parameters,
        "interval_90": {name: list(ends) for name, ends in fit.intervals.items()},
        "not_identified": fit.not_identified,
        "fitted_range": boxes,
        "log_half_width": [_half_width(part) for part in errors],
        "configurations": len(rows),
        "errors_percent": [ape(part) for part in errors if part.size],
    }


def _half_width(errors: np.ndarray) -> float:
    return round(float(np.quantile(np.abs(errors), 0.9)), 4) if errors.size else 0.0


def _remote(near: list[MixRow], far: list[MixRow], side: str) -> dict:
    """Time on the far node over that on the near one: the pure rows; how much the mixed ones differ is the interval."""
    pure = {row.write_share: getattr(row, side) for row in near}
    share = 0.0 if side == "read" else 1.0
    ratios = {
        row.write_share: pure[row.write_share] / getattr(row, side)
        for row in far
        if row.write_share in pure and getattr(row, side) > 0
    }
    spread = np.abs(np.log(list(ratios.values())) - np.log(ratios[share]))
    half = round(float(spread.max()), 4)
    factor = float(ratios[share])
    return {
        "parameters": {"time_factor": factor},
        "interval_90": {"time_factor": [factor * float(np.exp(-half)), factor * float(np.exp(half))]},
        "not_identified": ["dependence on access size, threads, pattern and DIMMs"],
        "fitted_range": [REMOTE_BOX],
        "log_half_width": [half],
        "configurations": len(ratios),
    }


_SAID = {
    STRIDES: "strides above the access size",
    REMOTE: "remote NUMA node",
    MIXES: "mixes of reads and writes (predicted by equal shares of media time)",
}


def left_open(phrases: Sequence[str], effects: Mapping[str, Mapping], operations: Sequence[str]) -> list[str]:
    """What is not identified once `effects` are: `phrases` of the sweep without them, and operations that they miss."""
    known = {_SAID[name] for name in effects if name in _SAID}
    missing = [
        f"{name} of {operation}"
        for name, of in effects.items()
        if name != MIXES
        for operation in operations
        if operation not in of
    ]
    parts = [
        f"{name} of {operation}: {what}"
        for name, of in effects.items()
        for operation, entry in of.items()
        for what in entry["not_identified"]
    ]
    return [*(phrase for phrase in phrases if phrase not in known), *missing, *parts]
