"""`pmtwin predict`: bandwidth and latency, with 90 % intervals, of the points of a CSV file."""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pmtwin.config.shared import CommandConfig
from pmtwin.output import counted, message
from pmtwin.sim.device import DEFAULT_PROFILE, load_profile
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.points import Points, known_columns, parse_points
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.table_file import read_bytes
from pmtwin.sim.options import option

HELP = "predict bandwidth and latency of accesses, with intervals, from a profile"

_COLUMNS = [effect.column for effect in varied()]
_EFFECTS = ", ".join(each.name + (f" ({', '.join(each.names)})" if each.names else "") for each in _COLUMNS)

DESCRIPTION = f"""Predicts each row of a table of accesses and prints the table with the predictions added. Required
columns: operation (load, ntstore, store_clwb, store, or mixed), pattern (random, sequential), access_size_bytes, dimms
and threads; of a mix read_threads, write_threads and write_operation instead of threads. Optional, and empty for the
plain access: power_w, {_EFFECTS}, interleaved (true, false) and
offered_bandwidth_mib_s (all threads together ask for no more than this). What the profile's data do not identify is
left empty and named on standard error. The ends of an interval (low, high) are empty where the profile knows no error:
outside the fitted range if its data do not tell how errors grow there, and of latencies that nothing was held against;
inside they hold the median of a new configuration, outside they widen with the distance."""

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
        help=f"columns {', '.join(known_columns())}; - reads standard input", metavar="POINTS.CSV", positional=True
    )
    profile: str = option(DEFAULT_PROFILE, "name or file of a profile", metavar="P")


def run(config: Config) -> None:
    """Print the table with the predictions added, in the order of the input; nothing if a row is wrong."""
    profile = load_profile(config.profile)
    points = _read(config.points)
    predicted = predict(profile, points.columns)
    sys.stdout.write(predicted_table(points, predicted))
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


def _read(path: str) -> Points:
    if path == STANDARD_INPUT:
        return parse_points(sys.stdin.buffer.read(), "standard input")
    return parse_points(read_bytes(path, "points"), path)


def predicted_table(points: Points, predicted: dict[str, np.ndarray]) -> str:
    """CSV text: the input's columns as they were, then `ADDED`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*points.table.header, *ADDED])
    columns = [_cells(predicted[name]) for name in ADDED]
    for row, *cells in zip(points.table.rows, *columns, strict=True):
        writer.writerow([*row, *cells])
    return text.getvalue()


def _cells(values: np.ndarray) -> list[str]:
    """Numbers with six digits; true or false; empty where the profile gives no interval."""
    if values.dtype == bool:
        return [str(bool(value)).lower() for value in values]
    return ["" if np.isnan(value) else f"{value:.6g}" for value in values]
