"""The points of `pmtwin predict`: a table in, checked columns out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device import law
from pmtwin.sim.device.geometry import CACHE_LINE_BYTES, MEDIA_LINE_BYTES
from pmtwin.sim.device.power import REFERENCE_POWER_W
from pmtwin.sim.device.table_file import Table, parse_table
from pmtwin.sim.errors import InputError, check_range, in_full, unknown_name

MIXED = "mixed"
REQUIRED = ("operation", "pattern", "access_size_bytes", "dimms")
PURE = ("threads",)
MIX = ("read_threads", "write_threads", "write_operation")
OPTIONAL = ("power_w", "numa", "stride_bytes", "fence_interval_bytes", "interleaved", "offered_bandwidth_mib_s")
KNOWN = ("operation", "pattern", "threads", "access_size_bytes", "dimms", *OPTIONAL, *MIX)

NODES = ("local", "remote")
TRUTH = {"true": True, "false": False, "1": True, "0": False}

MAX_THREADS = 512
MAX_ACCESS_SIZE_BYTES = float(1 << 26)
POWER_RANGE_W = (10.0, 20.0)
OFFERED_RANGE_MIB_S = (1.0, float(1 << 22))


@dataclass(frozen=True)
class Points:
    """What to predict.

    Args:
        table: the table as it was, to be written back.
        columns: name -> array of shape (rows,), for `pmtwin.sim.device.prediction.predict`.
    """

    table: Table
    columns: dict[str, np.ndarray]


def parse_points(content: bytes, where: str) -> Points:
    """Points from the content of a CSV file; nothing is returned unless every row is right.

    Raises:
        InputError: names file and line, field, value and what is allowed.
    """
    table = parse_table(content, where, field="points")
    table.refuse_unknown_columns(KNOWN)
    table.require_columns(REQUIRED)
    operations = set(table.column("operation"))
    table.require_columns(MIX if MIXED in operations else ())
    table.require_columns(PURE if operations - {MIXED} else ())
    checked = [
        _check_row(dict(zip(table.header, (value.strip() for value in row), strict=True)), table.place(index))
        for index, row in enumerate(table.rows)
    ]
    return Points(table, {name: np.array([row[name] for row in checked]) for name in checked[0]})


def _check_row(row: dict[str, str], where: str) -> dict[str, str | float]:
    operation = _name("operation", row["operation"], (*law.OPERATIONS, MIXED), where)
    checked = {
        "operation": operation,
        "pattern": _name("pattern", row["pattern"], law.PATTERNS, where),
        "access_size_bytes": _whole("access_size_bytes", row, 1, MAX_ACCESS_SIZE_BYTES, where),
        "dimms": _whole("dimms", row, 1, 6, where),
        "power_w": _number("power_w", row, *POWER_RANGE_W, where) if row.get("power_w") else REFERENCE_POWER_W,
    }
    checked |= _variation(row, checked, where)
    return checked | (_mix(row, where) if operation == MIXED else _pure(row, where))


def _variation(row: dict[str, str], checked: dict, where: str) -> dict[str, bool | float]:
    """What may be left out: the plain access of the local node, without stride and fence, on an interleaved set."""
    node = _name("numa", row["numa"], NODES, where) if row.get("numa") else NODES[0]
    interleaved = row.get("interleaved", "").lower() or str(checked["dimms"] > 1).lower()
    if interleaved not in TRUTH:
        raise InputError("interleaved", row["interleaved"], "true or false", where)
    fence, offered = row.get("fence_interval_bytes"), row.get("offered_bandwidth_mib_s")
    return {
        "offered_mib_s": _number("offered_bandwidth_mib_s", row, *OFFERED_RANGE_MIB_S, where) if offered else math.inf,
        "remote": node == "remote",
        "interleaved": TRUTH[interleaved],
        "stride_bytes": _stride(row, checked, where) if row.get("stride_bytes") else 0.0,
        "fence_interval_bytes": (
            _whole("fence_interval_bytes", row, CACHE_LINE_BYTES, MAX_ACCESS_SIZE_BYTES, where) if fence else 0.0
        ),
    }


def _stride(row: dict[str, str], checked: dict, where: str) -> float:
    """The stride, or 0 if consecutive accesses touch each other: these are plain sequential ones."""
    if checked["pattern"] != "sequential":
        raise InputError("stride_bytes", row["stride_bytes"], "nothing, unless the pattern is sequential", where)
    size = checked["access_size_bytes"]
    stride = _whole("stride_bytes", row, size, MAX_ACCESS_SIZE_BYTES, where)
    if stride == size:
        return 0.0
    check_range("stride_bytes", stride, max(MEDIA_LINE_BYTES, size), MAX_ACCESS_SIZE_BYTES, where=where)
    return stride


def _pure(row: dict[str, str], where: str) -> dict[str, str | float]:
    for name in MIX:
        if row.get(name, "") not in ("", "0"):
            raise InputError(name, row[name], "nothing, unless the operation is mixed", where)
    threads = _whole("threads", row, 1, MAX_THREADS, where)
    return {"threads": threads, "read_threads": 0.0, "write_threads": 0.0, "write_operation": ""}


def _mix(row: dict[str, str], where: str) -> dict[str, str | float]:
    readers = _whole("read_threads", row, 0, MAX_THREADS, where)
    writers = _whole("write_threads", row, 0, MAX_THREADS, where)
    total = readers + writers
    check_range("read_threads + write_threads", int(total), 1, MAX_THREADS, where=where)
    if row.get("threads") and _whole("threads", row, 0, MAX_THREADS, where) != total:
        raise InputError("threads", row["threads"], f"nothing, or read_threads + write_threads = {total:g}", where)
    writing = _name("write_operation", row["write_operation"], law.OPERATIONS[1:], where)
    return {"threads": total, "read_threads": readers, "write_threads": writers, "write_operation": writing}


def _name(field: str, value: str, known: tuple[str, ...], where: str) -> str:
    if value not in known:
        raise unknown_name(field, value, known, where)
    return value


def _number(field: str, row: dict[str, str], low: float, high: float, where: str) -> float:
    try:
        value = float(row[field])
    except ValueError:
        raise InputError(field, row[field], f"a number, {in_full(low)} to {in_full(high)}", where) from None
    if not math.isfinite(value):
        raise InputError(field, row[field], f"a finite number, {in_full(low)} to {in_full(high)}", where)
    check_range(field, int(value) if value.is_integer() else value, low, high, where=where)
    return value


def _whole(field: str, row: dict[str, str], low: float, high: float, where: str) -> float:
    value = _number(field, row, low, high, where)
    if not value.is_integer():
        raise InputError(field, row[field], f"a whole number, {in_full(low)} to {in_full(high)}", where)
    return value
