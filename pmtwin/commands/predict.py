"""`pmtwin predict`: accesses or key-value operations of a CSV file, predicted with 90 % intervals."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pmtwin.config.shared import CommandConfig
from pmtwin.output import counted, message
from pmtwin.sim.device import DEFAULT_PROFILE, Profile, law, load_profile
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.points import MIXED, known_columns, points_of
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.table_file import Table, parse_table, read_bytes
from pmtwin.sim.errors import InputError
from pmtwin.sim.options import option
from pmtwin.sim.store import points as store_points
from pmtwin.sim.store.file import DEFAULT_STORE, load_store
from pmtwin.sim.store.prediction import STORE_COLUMNS, predict_store
from pmtwin.sim.workload import OPERATIONS

HELP = "predict accesses or key-value operations, with intervals, from a profile"

_COLUMNS = [effect.column for effect in varied()]
_EFFECTS = ", ".join(each.name + (f" ({', '.join(each.names)})" if each.names else "") for each in _COLUMNS)

DESCRIPTION = f"""Predicts each row of a table of accesses and prints the table with the predictions added. Required
columns: operation (load, ntstore, store_clwb, store, or mixed), pattern (random, sequential), access_size_bytes, dimms
and threads; of a mix read_threads, write_threads and write_operation instead of threads. Optional, and empty for the
plain access: power_w, {_EFFECTS}, interleaved (true, false) and
offered_bandwidth_mib_s (all threads together ask for no more than this). What the profile's data do not identify is
left empty and named on standard error. The ends of an interval (low, high) are empty where the profile knows no error:
outside the fitted range if its data do not tell how errors grow there, and of latencies that nothing was held against;
inside they hold the median of a new configuration, outside they widen with the distance.

A table of key-value operations ({", ".join(OPERATIONS)}) has the columns
{", ".join(store_points.REQUIRED)}, and optional {", ".join(store_points.OPTIONAL)}: threads of one
socket that each run one operation after the other on uniformly drawn keys. A put_update is a get and an overwriting put
of the same key, as a read-modify-write; gets_per_update 0: the put alone. Added are operations per second, mean and
percentiles of latency, and the ends of their 90 % intervals: the posterior of the store's parameters and the error of
its law; extrapolated marks what was not measured of that operation (--store), on other cores or beside another
device."""

ADDED = ("bandwidth_mib_s", "bandwidth_low_mib_s", "bandwidth_high_mib_s", "latency_ns", "extrapolated")
ADDED += ("read_bandwidth_mib_s", "write_bandwidth_mib_s", "effective_write_ratio", "latency_p99_ns")
ADDED += ("read_latency_ns", "write_latency_ns", "time_per_access_ns")
ADDED += tuple(
    f"{time}_{end}_ns"
    for time in ("latency", "read_latency", "write_latency", "time_per_access")
    for end in ("low", "high")
)
STANDARD_INPUT = "-"


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig):
    """Options of `pmtwin predict`."""

    command: ClassVar[str] = "predict"
    points: str = option(
        help=f"columns {', '.join(known_columns())}; or of key-value operations; - reads standard input",
        metavar="POINTS.CSV",
        positional=True,
    )
    profile: str = option(DEFAULT_PROFILE, "name or file of a profile", metavar="P")
    store: str | None = option(
        None, f"name or file of a key-value store (default: {DEFAULT_STORE}), for its operations", metavar="STORE"
    )


def run(config: Config) -> None:
    """Print the table with the predictions added, in the order of the input; nothing if a row is wrong."""
    profile = load_profile(config.profile)
    table = _read(config.points)
    if _is_of_store(table):
        _predict_store(config, profile, table)
    elif config.store:
        raise InputError("--store", config.store, f"nothing, unless points are of {', '.join(OPERATIONS)}")
    else:
        _predict_accesses(profile, table)


def _is_of_store(table: Table) -> bool:
    """Whether a table is of key-value operations; `InputError` where it is of accesses as well."""
    table.require_columns(("operation",))
    asked = table.column("operation")
    of_store = [operation for operation in asked if operation in OPERATIONS]
    accesses = [operation for operation in asked if operation in (*law.OPERATIONS, MIXED)]
    if of_store and accesses:
        allowed = f"{', '.join(OPERATIONS)} in all rows or in none: accesses go into a table of their own"
        raise InputError("operation", accesses[0], allowed, table.place(asked.index(accesses[0])))
    return bool(of_store) or "records" in table.header


def _predict_store(config: Config, profile: Profile, table: Table) -> None:
    store = load_store(config.store or DEFAULT_STORE)
    points = store_points.parse_store_points(table)
    predicted = predict_store(profile, store, points.points, points.dimms)
    sys.stdout.write(predicted_table(table, predicted, STORE_COLUMNS))
    if profile.name not in store.fits:
        message(
            f"store {store.name} was fitted beside {', '.join(store.fits)}, not {profile.name}: intervals are wider"
        )


def _predict_accesses(profile: Profile, table: Table) -> None:
    predicted = predict(profile, points_of(table).columns)
    sys.stdout.write(predicted_table(table, predicted, ADDED))
    for what, rows in sorted(Counter(predicted["not_identified"].tolist()).items()):
        if what:
            message(f"not identified by profile {profile.name}: {what}; {counted(rows, 'row')} left empty")
    lacking = np.isnan(predicted["bandwidth_low_mib_s"]) & np.isfinite(predicted["bandwidth_mib_s"])
    outside = lacking & predicted["extrapolated"] & (profile.intervals is not None)
    for rows, why in (
        (outside, f"outside the fitted range, where the data of profile {profile.name} tell no error"),
        (lacking & ~outside, f"profile {profile.name} has none (calibrated with --bootstrap 0)"),
    ):
        if np.any(rows):
            message(f"no interval: {why}; {counted(int(rows.sum()), 'row')}")


def _read(path: str) -> Table:
    if path == STANDARD_INPUT:
        return parse_table(sys.stdin.buffer.read(), "standard input", field="points")
    return parse_table(read_bytes(path, "points"), path, field="points")


def predicted_table(table: Table, predicted: dict[str, np.ndarray], added: Sequence[str]) -> str:
    """CSV text: the input's columns as they were, then those `added`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.header, *added])
    columns = [_cells(predicted[name]) for name in added]
    for row, *cells in zip(table.rows, *columns, strict=True):
        writer.writerow([*row, *cells])
    return text.getvalue()


def _cells(values: np.ndarray) -> list[str]:
    """Numbers with six digits; true or false; empty where the profile gives no interval."""
    if values.dtype == bool:
        return [str(bool(value)).lower() for value in values]
    return ["" if np.isnan(value) else f"{value:.6g}" for value in values]
