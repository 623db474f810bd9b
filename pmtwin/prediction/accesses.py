"""Predictions for a table of accesses, with remarks on assumed or missing intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.console.output import counted
from pmtwin.prediction.answer import Answer
from pmtwin.prediction.outside import accesses_outside
from pmtwin.sim.device.interval_kinds import FEWEST_GROUPS, REPEAT, assumptions, with_interval
from pmtwin.sim.device.outside import assumed_axes
from pmtwin.sim.device.points import MIXED, points_of
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.device.refusals import predict_known
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table

if TYPE_CHECKING:
    from pmtwin.prediction.config import Config

ADDED: tuple[str, ...] = (
    "bandwidth_mib_s",
    "bandwidth_low_mib_s",
    "bandwidth_high_mib_s",
    "latency_ns",
    "extrapolated",
)
ADDED += ("read_bandwidth_mib_s", "write_bandwidth_mib_s", "effective_write_ratio", "latency_p99_ns")
ADDED += ("read_latency_ns", "write_latency_ns", "time_per_access_ns")
ADDED += tuple(
    f"{time}_{end}_ns"
    for time in ("latency", "read_latency", "write_latency", "time_per_access")
    for end in ("low", "high")
)

SHOWN = ("bandwidth", "latency")
"""Quantities of the printed table without --columns."""


def predict_accesses(config: Config, profile: Profile, table: Table) -> Answer:
    """Predictions for each row.

    Raises:
        InputError: for a column that is a prediction, or a row that cannot be read.
    """
    for name in (cell.strip() for cell in table.header):
        if name in ADDED:
            raise InputError("column", name, "columns of points: this one is an answer; remove it", f"{table.where}:1")
    columns = points_of(table, usual_dimms(profile)).columns
    widened = with_interval(profile, config.interval)
    if config.strict or config.points is None:
        predicted, refused = predict(widened, columns), np.full(len(table.rows), "", dtype=object)
    else:
        predicted, refused = predict_known(widened, columns)
    if not predicted:
        predicted = {name: np.full(len(table.rows), np.nan) for name in ADDED}
        predicted |= {"extrapolated": np.zeros(len(table.rows), dtype=bool), "not_identified": refused}
    remarks = _assumed_intervals(profile, config.interval, columns) + _missing_intervals(profile, predicted)
    shown = config.points is None and (not config.columns or any("latency" in name for name in config.columns))
    if shown or config.interval != REPEAT:  # a table of many rows has empty cells instead
        remarks += _missing_latency_intervals(profile, columns, predicted)
    remarks += _assumed_dimms(profile)
    remarks += _mark_unmeasured(profile, columns, predicted)
    return Answer(table, predicted, ADDED, refused, remarks, SHOWN, accesses_outside(profile, columns))


def _mark_unmeasured(
    profile: Profile, columns: Mapping[str, np.ndarray], predicted: dict[str, np.ndarray]
) -> list[str]:
    """Mark points as extrapolated whose operation the profile, which has a prior, did not measure; returns a remark."""
    unmeasured = set(profile.record.get("unmeasured_operations", ()))
    operation = np.asarray(columns["operation"])
    operations = [operation, np.asarray(columns.get("write_operation", operation))]
    used = set(np.unique(np.concatenate(operations)).tolist()) | ({"load"} if MIXED in operation else set())
    names = sorted(unmeasured & used)
    if not names:
        return []
    outside = np.any([np.isin(column, names) for column in operations], axis=0)
    outside |= (operation == MIXED) & ("load" in names)
    predicted["extrapolated"] = predicted["extrapolated"] | outside
    missing = ", ".join(names)
    return [f"extrapolated: profile {profile.name} has no measurement of {missing}; the shipped devices answer for it"]


def _assumed_dimms(profile: Profile) -> list[str]:
    if "dimms" not in assumed_axes(profile):
        return []
    return [f"assumed: {usual_dimms(profile):g} DIMMs, which no measurement of profile {profile.name} states"]


def _assumed_intervals(profile: Profile, interval: str, columns: dict[str, np.ndarray]) -> list[str]:
    operations = np.where(columns["operation"] == MIXED, "load", columns["operation"])
    assumed = assumptions(profile, interval, zip(operations, columns["pattern"], strict=True))
    if not assumed:
        return []
    known = ", ".join(assumed)
    return [f"intervals for another {interval} are partly assumed: too few {known}; {FEWEST_GROUPS} are needed"]


def _missing_intervals(profile: Profile, predicted: dict[str, np.ndarray]) -> list[str]:
    lacking = np.isnan(predicted["bandwidth_low_mib_s"]) & np.isfinite(predicted["bandwidth_mib_s"])
    outside = lacking & predicted["extrapolated"] & (profile.intervals is not None)
    reasons = (
        (outside, f"outside the measurements of profile {profile.name}, where its error is not known"),
        (lacking & ~outside, f"profile {profile.name} has none (calibrated with --bootstrap 0)"),
    )
    count = _count_of(lacking.size)
    return [f"no interval{count(rows)}: {why}" for rows, why in reasons if np.any(rows)]


def _count_of(points: int) -> Callable[[np.ndarray], str]:
    """Function from the rows of a remark to their number as text, such as ` in 3 rows`; "" for a single point."""
    return (lambda rows: f" in {counted(int(rows.sum()), 'row')}") if points > 1 else lambda _: ""


def _missing_latency_intervals(
    profile: Profile, columns: Mapping[str, np.ndarray], predicted: dict[str, np.ndarray]
) -> list[str]:
    known = np.isfinite(predicted["latency_ns"])
    unknown = ~known & np.isfinite(predicted["bandwidth_mib_s"])
    without = known & np.isnan(predicted["latency_low_ns"]) & np.isfinite(predicted["bandwidth_low_mib_s"])
    named = (f"{row} ({how})" for row, how in zip(columns["operation"], columns["pattern"], strict=True))
    accesses = ", ".join(dict.fromkeys(name for name, lacks in zip(named, without, strict=True) if lacks))
    reasons = (
        (unknown, "no latency", "does not know it, idle or under load"),
        (without, "no interval of the latency", f"has no error for the latency of {accesses}, only for the bandwidth"),
    )
    count = _count_of(known.size)
    return [f"{what}{count(rows)}: profile {profile.name} {why}" for rows, what, why in reasons if np.any(rows)]
