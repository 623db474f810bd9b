"""Measured operations of a key-value store: pmtwin's own table, and the formats of two benchmarks.

- pmtwin's table: the columns of a point (`pmtwin.sim.store.points`), throughput_ops or latency_mean_ns, and optional
  machine, error_percent, latency_p50_ns, latency_p99_ns.
- The data of Viper's figure (VLDB'21): operation (get, put, update), threads, throughput_mops.
- pmemkv_bench: benchmark (fillseq, overwrite), operations, mean_us, p50_us, p99_us.

The last two formats do not contain the records and the machine; the values are those that the authors state (`VIPER`,
`PMEMKV_BENCH`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pmtwin.sim.device.cells import number_in
from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.csv_table import Table, parse_table
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.store import points
from pmtwin.sim.store.counts import StorePoint
from pmtwin.sim.store.file import PERCENTILES

RESULTS = ("throughput_ops", "latency_mean_ns")
FURTHER = ("machine", "error_percent", *(f"latency_{name}_ns" for name in PERCENTILES))
DEFAULT_ERROR_PERCENT = 2.0
UNITS = {"throughput_ops": "operations per second of all threads together", "latency_mean_ns": "ns of one operation"}

LONGEST_NS = 1e6
"""Longest plausible time of a thread for an operation, without the transfer of its value: twenty times the longest
published time."""

VIPER = {"value_bytes": "200", "records": "100000000", "key_bytes": "16", "cores": "18", "threads_per_core": "2"}
"""One socket, 100 M records of 16 + 200 B; an update is a get and a put of the same key."""

PMEMKV_BENCH = {"threads": "1", "value_bytes": "100", "key_bytes": "16", "cores": "20", "threads_per_core": "2"}
"""Xeon Gold 6230; as many records as operations."""

_VIPER_OPERATIONS = {"get": "get", "put": "put_insert", "update": "put_update"}
_BENCH_OPERATIONS = {"fillseq": "put_insert", "overwrite": "put_update"}


@dataclass(frozen=True)
class Measured:
    """A measured configuration.

    Args:
        point: the operation and its configuration.
        dimms: number of interleaved modules.
        throughput_ops: operations per second of all threads together.
        log_error: error of the measurement, as a standard deviation of log throughput.
        machine: name of the machine.
        latency_over_mean: name in `PERCENTILES` -> that percentile of single operations over their mean; only the
            measured ones.
    """

    point: StorePoint
    dimms: float
    throughput_ops: float
    log_error: float
    machine: str
    latency_over_mean: Mapping[str, float] = field(default_factory=dict)


def read_measured(paths: Iterable[str]) -> list[Measured]:
    """Measured operations of files, in their order.

    Raises:
        InputError: a file cannot be read, has another format, or a wrong row; the message names file, line and field.
    """
    from pmtwin.calibrate.readers.cells import with_plain_numbers  # imports all readers; help needs this module alone

    tables = [(parse_table(content_of(path, "sources"), str(path), "sources"), Path(path).stem) for path in paths]
    return [row for table, machine in tables for row in measured_of(with_plain_numbers(table), machine)]


def measured_of(table: Table, machine: str) -> list[Measured]:
    """Measured operations of a table; `machine`: name for rows that do not name a machine."""
    header = set(table.header)
    if "throughput_mops" in header:
        table.require_columns(("operation", "threads", "throughput_mops"))
        convert = _viper_point
    elif "benchmark" in header:
        table.require_columns(("benchmark", "operations", "mean_us", "p50_us", "p99_us"))
        convert = _pmemkv_bench_point
    else:
        table.refuse_unknown_columns((*points.REQUIRED, *points.OPTIONAL, *RESULTS, *FURTHER))
        table.require_columns(points.REQUIRED)
        if not header & set(RESULTS):
            raise InputError("columns", ", ".join(table.header), "throughput_ops or latency_mean_ns", table.where)
        convert = _unchanged
    rows = (dict(zip(table.header, (cell.strip() for cell in row), strict=True)) for row in table.rows)
    return [_measured(convert(row, table.place(index)), machine, table.place(index)) for index, row in enumerate(rows)]


def _unchanged(row: dict[str, str], where: str) -> dict[str, str]:
    return row


def _viper_point(row: dict[str, str], where: str) -> dict[str, str]:
    operation = _translated("operation", row, _VIPER_OPERATIONS, where)
    mops = number_in("throughput_mops", row, 1e-9, 1e6, where)
    return VIPER | {"operation": operation, "threads": row["threads"], "throughput_ops": repr(mops * 1e6)}


def _pmemkv_bench_point(row: dict[str, str], where: str) -> dict[str, str]:
    times = {name: number_in(f"{name}_us", row, 1e-3, 1e9, where) for name in ("mean", *PERCENTILES)}
    return PMEMKV_BENCH | {
        "operation": _translated("benchmark", row, _BENCH_OPERATIONS, where),
        "records": row["operations"],
        "gets_per_update": "0",
        **{f"latency_{name}_ns": repr(1e3 * time) for name, time in times.items()},
    }


def _translated(field_name: str, row: dict[str, str], names: Mapping[str, str], where: str) -> str:
    if row[field_name] not in names:
        raise unknown_name(field_name, row[field_name], names, where)
    return names[row[field_name]]


def _us(ns: float) -> str:
    return f"{ns / 1e3:,.0f}" if ns >= 10_000.0 else f"{ns / 1e3:.3g}"


def _check_time(mean_ns: float, point: StorePoint, text: str, field_name: str, where: str) -> None:
    """Raise `InputError` for a time of an operation that is impossible for a store in memory: its unit is wrong."""
    from pmtwin.calibrate.readers.cleaning import RANDOM_LOAD_FLOOR_NS, SLOWEST_WRITES_MIB_S

    longest_ns = LONGEST_NS + float(point.value_bytes) / MIB / SLOWEST_WRITES_MIB_S * 1e9
    if not RANDOM_LOAD_FLOOR_NS <= mean_ns <= longest_ns:
        wrong = f"is {_us(mean_ns)} us of a thread for an operation"
        allowed = f"{_us(RANDOM_LOAD_FLOOR_NS)} to {_us(longest_ns)} us; {UNITS[field_name]}: convert it"
        raise InputError(field_name, text, allowed, where, wrong)


def _measured(row: dict[str, str], machine: str, where: str) -> Measured:
    point = points.store_point(row, where)
    given = [name for name in RESULTS if row.get(name)]
    if len(given) != 1:
        raise InputError("row", ", ".join(given) or "no result", f"one of {' and '.join(RESULTS)}", where)
    result = number_in(given[0], row, 1e-3, 1e12, where)
    mean_ns = result if given[0] == "latency_mean_ns" else point.threads * 1e9 / result
    _check_time(mean_ns, point, row[given[0]], given[0], where)
    percentiles = {
        name: number_in(f"latency_{name}_ns", row, 1e-3, 1e12, where) / mean_ns
        for name in PERCENTILES
        if row.get(f"latency_{name}_ns")
    }
    error = number_in("error_percent", row, 0.0, 100.0, where) if row.get("error_percent") else DEFAULT_ERROR_PERCENT
    throughput = point.threads * 1e9 / mean_ns
    named = row.get("machine") or machine
    return Measured(point, points.dimms_of(row, where), throughput, error / 100.0, named, percentiles)
