"""Reasons for extrapolated rows: values outside the measurements, with the measured ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.outside import Outside, assumed_axes, outside_axes, outside_of, outside_text
from pmtwin.sim.device.points import MIXED, SIDES
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.regression.file import Regression
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import HARDWARE, RANGES, StoreFile

Why = Callable[[Iterable[int]], str]
"""Function from rows to a text on their values outside the measurements; "" if no single value is outside."""

Columns = Mapping[str, np.ndarray]


def accesses_outside(profile: Profile, columns: Columns) -> Why:
    """Reasons for rows of accesses; `columns`: checked columns."""

    def outside(row: int) -> Iterator[Outside]:
        point = {name: np.asarray(values)[row] for name, values in columns.items()}
        return (each for access in _accesses(point) for each in _of_access(profile, access))

    return lambda rows: outside_text(chain.from_iterable(map(outside, rows)), assumed_axes(profile))


def _accesses(point: Mapping) -> Iterator[Mapping]:
    """The access of a row, or the read and the write of a mix, each with the threads of both."""
    if point["operation"] != MIXED:
        yield point
        return
    for side, operation in zip(SIDES, ("load", point["write_operation"]), strict=True):
        if point[f"{side}_threads"]:
            unlike = {name: point.get(f"{side}_{name}") or point[name] for name in ("access_size_bytes", "pattern")}
            threads = point["read_threads"] + point["write_threads"]
            yield {**point, **unlike, "operation": operation, "threads": threads}


def _of_access(profile: Profile, point: Mapping) -> Iterator[Outside]:
    operation, pattern = point["operation"], point["pattern"]
    values = (float(point[name]) for name in ("access_size_bytes", "threads", "dimms", "power_w"))
    yield outside_of(profile, operation, pattern, *values)
    for effect in varied():
        entry = (profile.effects or {}).get(effect.name, {}).get(operation)
        if entry and point.get(effect.column.key):
            at = {name: float(point[name]) for name in effect.axes}
            without = dict.fromkeys(at, (-math.inf, math.inf))
            yield outside_axes([{**without, **box} for box in entry["fitted_range"] if box["pattern"] == pattern], at)


def operations_outside(store: StoreFile, points: Sequence[StorePoint]) -> Why:
    """Reasons for rows of key-value operations."""
    ends = {name: [end for box in store.fitted_range.values() for end in box[name]] for name in HARDWARE}
    machines = {name: (min(each), max(each)) for name, each in ends.items()}

    def outside(row: int) -> Outside:
        measured = store.fitted_range.get(points[row].operation)
        boxes = [{**measured, **machines}] if measured else []
        return outside_axes(boxes, {name: getattr(points[row], name) for name in (*RANGES, *HARDWARE)})

    return lambda rows: outside_text(map(outside, rows))


def regression_outside(regression: Regression, columns: Columns) -> Why:
    """Reasons for rows of a regression's variables."""
    box = {name: (each.low, each.high) for name, each in regression.variables.items()}
    return lambda rows: outside_text(outside_axes([box], {name: columns[name][row] for name in box}) for row in rows)
