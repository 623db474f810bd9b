"""`pmtwin predict`: accesses or key-value operations of a CSV file, predicted with 90 % intervals."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pmtwin.config.shared import CommandConfig, DryRun, Printed
from pmtwin.prediction.accesses import predict_accesses
from pmtwin.prediction.answer import Answer, check_columns, json_rows, print_answer, print_to_read
from pmtwin.prediction.operations import COLUMNS, is_of_store, predict_operations
from pmtwin.prediction.outside import regression_outside
from pmtwin.prediction.point import COMMAND_LINE, OPTIONS, check_point, point_table, size_bytes
from pmtwin.results import Result
from pmtwin.sim.device import DEFAULT_PROFILE, Profile, load_profile
from pmtwin.sim.device.interval_kinds import INTERVALS, REPEAT
from pmtwin.sim.device.points import known_columns
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.device.table_file import Table, parse_table
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.input_file import content_of, rest_of
from pmtwin.sim.options import option
from pmtwin.sim.regression.file import Regression, load_regression, regression_names
from pmtwin.sim.regression.points import numbers_of
from pmtwin.sim.store import points as store_points
from pmtwin.sim.store.file import DEFAULT_STORE
from pmtwin.sim.workload import OPERATIONS

EXAMPLES = (
    "pmtwin predict --operation load --pattern random --threads 8 --size 4KiB",
    "pmtwin predict points.csv --profile my-device.json --csv",
)

DESCRIPTION = f"""Predicts one point, as with --operation load --pattern random --size 4KiB --threads 8, or each row
of a table. A row is an access (operation load, ntstore, store_clwb, store or mixed), a key-value operation
({", ".join(OPERATIONS)}; columns {", ".join(store_points.REQUIRED)},
optional {", ".join(store_points.OPTIONAL)}), or, with --regression, the variables of a regression.

A value that the profile cannot answer stays empty, and standard error names the line. The ends of an interval stay
empty where the profile knows no error. The output is a short table for a single point, on a terminal and with
--columns; otherwise it is CSV with all columns. The columns are explained in docs/calibrate-a-device.md, those of
key-value operations in docs/store.md."""

STANDARD_INPUT = "-"
POINT_OPTIONS = ("profile", "store", "operation", "pattern", "size", "threads", "dimms", "also", "strict")
"""What a regression has no use for."""

CSV = "comma-separated values (CSV), whose first line names"
POINTS_FORM = (
    f"{CSV} the columns operation, pattern, access_size_bytes, threads (accesses) or "
    f"{', '.join(store_points.REQUIRED)} (key-value operations)"
)


@dataclass(frozen=True, kw_only=True)
class Config(CommandConfig, Printed, DryRun):
    """Options of `pmtwin predict`.

    Raises:
        InputError: neither a point nor a table, both, or two forms of output.
    """

    command: ClassVar[str] = "predict"
    everyday: ClassVar[tuple[str, ...]] = (
        "profile",
        "interval",
        "operation",
        "pattern",
        "size",
        "threads",
        "dimms",
        "store",
        "columns",
        "csv",
        "json",
    )
    points: str | None = option(
        None,
        f"columns {', '.join(known_columns())}; or the columns of key-value operations; -: standard input",
        metavar="POINTS.CSV",
        positional=True,
    )
    profile: str = option(DEFAULT_PROFILE, "device profile", metavar="P")
    interval: str = option(
        REPEAT,
        "meaning of the intervals: the same campaign repeated (repeat), another session or machine of the same kind "
        "(campaign), another device of the family (device)",
        choices=INTERVALS,
    )
    store: str | None = option(
        None, f"key-value store model, for key-value operations (default: {DEFAULT_STORE})", metavar="STORE"
    )
    regression: str | None = option(
        None,
        f"regression: a file, or {', '.join(regression_names())}",
        metavar="NAME",
        excludes=POINT_OPTIONS,
    )
    operation: str | None = option(None, "operation: load, ntstore, store_clwb, store or mixed", metavar="NAME")
    pattern: str | None = option(None, "access pattern: random or sequential", metavar="NAME")
    size: str | None = option(
        None,
        "access size, such as 256, 4KiB, 1MiB; several points: rows of POINTS.CSV",
        metavar="BYTES",
        flag="--size",
        parse=size_bytes,
    )
    threads: str | None = option(None, "number of threads; several points: rows of POINTS.CSV", metavar="N")
    dimms: str | None = option(None, "number of interleaved modules (default: the profile's)", metavar="N")
    also: tuple[str, ...] = option((), "other columns of the point, such as power_w=15", metavar="COLUMN=VALUE")
    columns: tuple[str, ...] = option(
        (), "columns of the printed table, such as bandwidth latency_p99 read_latency", metavar="NAME"
    )
    csv: bool = option(False, "print all columns as CSV", recorded=False)
    strict: bool = option(False, "reject the whole table if the profile cannot answer one row")

    def __post_init__(self):
        super().__post_init__()
        if self.points is None and not self.given:
            raise InputError("points", None, "a file of points, or a point: --operation, --pattern, --size, --threads")
        if self.points is None:
            check_point(self.given, self.also)
        if self.points is not None and (self.given or self.also):
            name = next(iter(self.given), "also")
            value = self.given.get(name, self.also)
            raise ConflictError(
                OPTIONS.get(name, name),
                value,
                f"does not go with the file of points {self.points!r}; remove one of the two",
            )
        forms = [name for name in ("columns", "csv", "json") if getattr(self, name)]
        if len(forms) > 1:
            raise ConflictError(forms[0], True, f"does not go with --{forms[1]}; remove one of the two")

    @property
    def given(self) -> dict[str, str]:
        """Column -> cell, of the point on the command line."""
        cells = {
            "operation": self.operation,
            "pattern": self.pattern,
            "access_size_bytes": self.size,
            "threads": self.threads,
            "dimms": self.dimms,
        }
        return {name: cell for name, cell in cells.items() if cell is not None}


def run(config: Config) -> None:
    """Print the table with the predictions added, in the order of the input; nothing if a row is wrong."""
    print_answer(*_answered(config), config)


def result_of(config: Config) -> Result:
    """The predictions, as `--json` has them; printed, a table to read."""
    answer, source = _answered(config)
    check_columns(answer, config.columns)
    value = {"profile": source, "rows": json_rows(answer)}
    return Result(
        value, lambda: print_to_read(answer, config.columns), lambda: [_numbers(row) for row in value["rows"]]
    )


def _numbers(row: dict) -> dict:
    """The row with numbers in place of texts that are numbers; an empty cell is none."""
    return {name: _number(value) if isinstance(value, str) and name != "note" else value for name, value in row.items()}


def _number(text: str) -> str | float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _answered(config: Config) -> tuple[Answer, str]:
    """The predictions, and the name of the profile or regression that they come from."""
    if config.regression:
        regression = load_regression(config.regression)
        variables = tuple(regression.variables)
        table = _read(config.points, variables, f"{CSV} the variables of the regression: {', '.join(variables)}")
        return _predict_regression(regression, table), regression.name
    profile = load_profile(config.profile)
    table = _table(config, profile)
    try:
        return _answer(config, profile, table), profile.name
    except InputError as error:
        raise _of_command_line(error, config) from error


def _table(config: Config, profile: Profile) -> Table:
    if config.points is not None:
        return _read(config.points, (*known_columns(), *COLUMNS), POINTS_FORM)
    of_store = config.operation in OPERATIONS
    known = COLUMNS if of_store else known_columns()
    given = config.given
    if not of_store and config.dimms is None:
        given["dimms"] = f"{usual_dimms(profile):g}"
    return point_table(given, config.also, known)


def _of_command_line(error: InputError, config: Config) -> InputError:
    """The error of a point on the command line under the name of its option."""
    if config.points is not None or error.where != f"{COMMAND_LINE}:1":
        return error
    return error.renamed(OPTIONS.get(error.field, error.field))


def _answer(config: Config, profile: Profile, table: Table) -> Answer:
    if is_of_store(table):
        if config.interval != REPEAT:
            raise InputError("--interval", config.interval, f"{REPEAT} for key-value operations")
        return predict_operations(config, profile, table)
    if config.store:
        raise ConflictError("store", config.store, f"belongs to points of {', '.join(OPERATIONS)}; remove it")
    return predict_accesses(config, profile, table)


def _predict_regression(regression: Regression, table: Table) -> Answer:
    if regression.response in table.header:
        raise InputError("column", regression.response, "points without the response", f"{table.where}:1")
    columns = numbers_of(table, tuple(regression.variables))
    predicted = {regression.response: regression.predict(columns), "extrapolated": regression.outside(columns)}
    nothing = np.full(len(table.rows), "", dtype=object)
    why = regression_outside(regression, columns)
    return Answer(table, predicted, tuple(predicted), nothing, shown=(regression.response,), why=why)


def _read(path: str, known: tuple[str, ...], form: str) -> Table:
    """The table of points; `known` and `form` as of `parse_table`."""
    if path == STANDARD_INPUT:
        content = rest_of(sys.stdin.buffer, "standard input", "points")
        return parse_table(content, "standard input", "points", known, form)
    return parse_table(content_of(path, "points"), path, "points", known, form)
