"""The points of `pmtwin predict`, read from a table and checked."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.cells import MAX_ACCESS_SIZE_BYTES, name_in, number_in, whole_in
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.geometry import MOST_DIMMS
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.errors import ConflictError, InputError, check_range
from pmtwin.sim.files.csv_table import Table, parse_table

MIXED = "mixed"
REQUIRED = ("operation", "pattern", "access_size_bytes", "dimms")
DIMMS = "dimms"
PURE = ("threads",)
MIX = ("read_threads", "write_threads", "write_operation")
SIDES = ("read", "write")
OF_SIDES: dict[str, float | str] = {"access_size_bytes": 0.0, "pattern": ""}
"""Columns that one side of a mix may have, such as `read_pattern` -> value of a side without it."""

SIDE_COLUMNS = tuple(f"{side}_{name}" for side in SIDES for name in OF_SIDES)
OFFERED = "offered_bandwidth_mib_s"
TRUTH = {"true": True, "false": False, "1": True, "0": False}

MAX_THREADS = 512
POWER_RANGE_W = (10.0, 20.0)
OFFERED_RANGE_MIB_S = (1.0, float(1 << 22))


def known_columns() -> tuple[str, ...]:
    """All columns that a table of points may have."""
    effects = (effect.column.name for effect in varied())
    return (*REQUIRED, *PURE, "power_w", *effects, "interleaved", OFFERED, *MIX, *SIDE_COLUMNS)


Row = dict[str, str | float]
"""A checked row of a table, by the keys of `pmtwin.sim.device.prediction.predict`."""


@dataclass(frozen=True)
class Points:
    """Points for a prediction.

    Args:
        table: the table as it was read, to be written back.
        columns: name -> array of shape (rows,), for `pmtwin.sim.device.prediction.predict`.
    """

    table: Table
    columns: dict[str, np.ndarray]


def parse_points(content: bytes, where: str) -> Points:
    """The points in the content of a CSV file; see `points_of`."""
    return points_of(parse_table(content, where, field="points"))


def points_of(table: Table, dimms: float | None = None) -> Points:
    """The points of a table.

    Args:
        dimms: interleaved modules, for rows without a value; None: every row needs one.

    Raises:
        InputError: a column or a value is not accepted; names the file and the line.
    """
    table.refuse_unknown_columns(known_columns())
    table.require_columns(REQUIRED if dimms is None else tuple(name for name in REQUIRED if name != DIMMS))
    operations = set(table.column("operation"))
    table.require_columns(MIX if MIXED in operations else ())
    table.require_columns(PURE if operations - {MIXED} else ())
    checked = [
        _check_row(dict(zip(table.header, (value.strip() for value in row), strict=True)), table.place(index), dimms)
        for index, row in enumerate(table.rows)
    ]
    return Points(table, {name: np.array([row[name] for row in checked]) for name in checked[0]})


def _check_row(row: dict[str, str], where: str, dimms: float | None) -> Row:
    operation = name_in("operation", row, (*law.OPERATIONS, MIXED), where)
    pattern = name_in("pattern", row, law.PATTERNS, where)
    access_size_bytes = whole_in("access_size_bytes", row, 1, MAX_ACCESS_SIZE_BYTES, where)
    modules = whole_in(DIMMS, row, 1, MOST_DIMMS, where) if dimms is None or row.get(DIMMS) else dimms
    checked: Row = {
        "operation": operation,
        "pattern": pattern,
        "access_size_bytes": access_size_bytes,
        DIMMS: modules,
        "power_w": number_in("power_w", row, *POWER_RANGE_W, where) if row.get("power_w") else REFERENCE_POWER_W,
    }
    checked |= _variation(row, pattern, access_size_bytes, modules, where)
    checked |= _mix(row, where) if operation == MIXED else _pure(row, where)
    for effect in varied():
        effect.check_threads(float(checked[effect.column.key]), float(checked["threads"]), where)
    return checked


def _variation(row: dict[str, str], pattern: str, access_size_bytes: float, dimms: float, where: str) -> Row:
    """Optional columns; the default is a plain access on an interleaved set, with unlimited offered load."""
    interleaved = row.get("interleaved", "").lower() or str(dimms > 1).lower()
    if interleaved not in TRUTH:
        raise InputError("interleaved", row["interleaved"], "true or false", where)
    values: Row = {"interleaved": TRUTH[interleaved], "offered_mib_s": math.inf}
    if row.get(OFFERED):
        values["offered_mib_s"] = number_in(OFFERED, row, *OFFERED_RANGE_MIB_S, where)
    side_column = next((name for name in SIDE_COLUMNS if row.get(name)), None)
    for effect in varied():
        cell = row.get(effect.column.name)
        if cell and side_column and not effect.in_mixes:
            allowed = f"does not go with {effect.column.name}; leave one of the two empty"
            raise ConflictError(side_column, row[side_column], allowed, where)
        key = effect.column.key
        values[key] = effect.read(row, pattern, access_size_bytes, where) if cell else effect.unread(row)
    return values


def _pure(row: dict[str, str], where: str) -> Row:
    for name in (*MIX, *SIDE_COLUMNS):
        if row.get(name, "") not in ("", "0"):
            raise ConflictError(name, row[name], "belongs to operation mixed; leave it empty here", where)
    threads = whole_in("threads", row, 1, MAX_THREADS, where)
    return {"threads": threads, "read_threads": 0.0, "write_threads": 0.0, "write_operation": "", **_NO_SIDES}


def _mix(row: dict[str, str], where: str) -> Row:
    readers = whole_in("read_threads", row, 0, MAX_THREADS, where)
    writers = whole_in("write_threads", row, 0, MAX_THREADS, where)
    total = readers + writers
    check_range("read_threads + write_threads", int(total), 1, MAX_THREADS, where=where)
    if row.get("threads") and whole_in("threads", row, 0, MAX_THREADS, where) != total:
        raise InputError(
            "threads", row["threads"], f"an empty cell, or read_threads + write_threads = {total:g}", where
        )
    writing = name_in("write_operation", row, law.OPERATIONS[1:], where)
    named: Row = {"threads": total, "read_threads": readers, "write_threads": writers, "write_operation": writing}
    return named | _sides(row, where)


_NO_SIDES: Row = {f"{side}_{name}": empty for side in SIDES for name, empty in OF_SIDES.items()}


def _sides(row: dict[str, str], where: str) -> Row:
    """Columns of each side of a mix."""
    columns = dict(_NO_SIDES)
    for side in SIDES:
        size, pattern = f"{side}_access_size_bytes", f"{side}_pattern"
        if row.get(size):
            columns[size] = whole_in(size, row, 1, MAX_ACCESS_SIZE_BYTES, where)
        if row.get(pattern):
            columns[pattern] = name_in(pattern, row, law.PATTERNS, where)
    return columns
