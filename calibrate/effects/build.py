"""The part of a profile that tells of effects, from the law of the profile and files that measured them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.calibrate.context import Varied
from pmtwin.calibrate.effects.far import far_of_mixes, far_of_pairs, over_plain
from pmtwin.calibrate.effects.fit import EffectFit, fit_effect
from pmtwin.calibrate.effects.mix_rows import mix_rows
from pmtwin.calibrate.effects.mixes import MIN_MIXES, fit_mixes, inner
from pmtwin.calibrate.effects.rows import EffectRows, bandwidth_rows, read_effect_tables
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.validation import ape
from pmtwin.sim.device import law
from pmtwin.sim.device.effects import FENCES, MIXES, REMOTE, STRIDES
from pmtwin.sim.device.fences import fenced_issue_mib_s
from pmtwin.sim.device.issue import issue_bound_mib_s
from pmtwin.sim.device.strides import strided_bounds_mib_s
from pmtwin.sim.device.variations import LONG_STRIDE_BYTES

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


def fit_effects(
    parameters: Mapping[str, Mapping[str, float]],
    paths: Sequence[str | os.PathLike],
    varied: Sequence[Varied] = (),
    plain: Configurations | None = None,
) -> dict[str, dict[str, dict]]:
    """Effects that the data identify: effect -> operation -> entry, see `pmtwin.sim.device.effects`.

    Args:
        parameters: operation -> parameters of the law.
        paths: tables that tell of effects.
        varied: measured beside the plain sweep of the device itself.
        plain: that sweep, for what was measured on either node.

    Raises:
        InputError: a file that cannot be read.
    """
    tables = read_effect_tables(paths)
    rows, mixes = bandwidth_rows(tables, varied), mix_rows(tables)
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
            effects[REMOTE][operation] = far_of_mixes(near, far, side)
    for operation in parameters if plain is not None else ():
        if entry := far_of_pairs(operation, varied, plain):
            effects[REMOTE][operation] = entry
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
    return _entry(parameters, fit, rows, STRIDE_AXES, [fit.errors[~long], fit.errors[long]])


def _fences(parameters: Mapping[str, float], rows: EffectRows) -> dict:
    random = rows.pattern == "random"
    issue = issue_bound_mib_s(parameters, random, *rows.law_columns()[:2])
    media = law.media_bound_mib_s(parameters, random, *rows.law_columns())

    def log_bandwidth(fence: Mapping[str, float], index: np.ndarray) -> np.ndarray:
        interval, threads = rows.fence_interval_bytes[index], rows.threads[index]
        fenced = fenced_issue_mib_s(fence, random[index], interval, threads, issue[index])
        return np.log(law.join_bounds(parameters, fenced, media[index]))

    fit = fit_effect(FENCE_STARTS, log_bandwidth, rows.bandwidth_mib_s)
    return _entry(parameters, fit, rows, FENCE_AXES, [fit.errors])


def _entry(
    parameters: Mapping[str, float], fit: EffectFit, rows: EffectRows, axes: Sequence[str], errors: list[np.ndarray]
) -> dict:
    boxes = []
    without = law.bandwidth_mib_s(parameters, rows.pattern == "random", *rows.law_columns())
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
        "bandwidth_over_plain": over_plain(rows.bandwidth_mib_s / without),
    }


def _half_width(errors: np.ndarray) -> float:
    return round(float(np.quantile(np.abs(errors), 0.9)), 4) if errors.size else 0.0


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
        f"{name} of {operation}: {', '.join(entry['not_identified'])}"
        for name, of in effects.items()
        for operation, entry in of.items()
        if entry["not_identified"]
    ]
    return [*(phrase for phrase in phrases if phrase not in known), *missing, *parts]
