"""`pmtwin predict`: accesses or key-value operations of a CSV file, predicted with 90 % intervals."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from pmtwin.evaluation.results import Result
from pmtwin.prediction.accesses import predict_accesses
from pmtwin.prediction.answer import Answer, check_columns, json_rows, print_answer, print_to_read
from pmtwin.prediction.config import CSV, DESCRIPTION, EXAMPLES, POINTS_FORM, STANDARD_INPUT, Config
from pmtwin.prediction.operations import COLUMNS, is_of_store, predict_operations
from pmtwin.prediction.outside import regression_outside
from pmtwin.prediction.point import COMMAND_LINE, OPTIONS, point_table
from pmtwin.scenarios import scenario_names
from pmtwin.sim.device.interval_kinds import REPEAT
from pmtwin.sim.device.points import known_columns
from pmtwin.sim.device.profile import Profile, load_profile
from pmtwin.sim.device.ranges import usual_dimms
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.files.csv_table import Table, parse_table
from pmtwin.sim.files.input_file import content_of, rest_of
from pmtwin.sim.load.workload import OPERATIONS
from pmtwin.sim.regression.file import Regression, load_regression
from pmtwin.sim.regression.points import numbers_of

__all__ = ["DESCRIPTION", "EXAMPLES", "Config", "run"]


def run(config: Config) -> None:
    """Print the table with the predictions added, in the order of the input; nothing if a row is wrong."""
    print_answer(*_answered(config), config)


def result_of(config: Config) -> Result:
    """The predictions, as `--json` has them; printed, a table to read."""
    answer, source = _answered(config)
    check_columns(answer, config.columns)
    rows = json_rows(answer)
    return Result(
        {"profile": source, "rows": rows},
        lambda: print_to_read(answer, config.columns),
        lambda: [_numbers(row) for row in rows],
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
        if config.points is None:  # the point comes from a file of --config, where nothing excludes it
            raise ConflictError("regression", config.regression, "belongs to a file of points; name one")
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
    if not Path(path).exists() and (path in scenario_names() or ".py:" in path):
        allowed = f"a file of points; a scenario is run by: pmtwin simulate {path}"
        raise InputError("POINTS", path, allowed, wrong="is a scenario")
    return parse_table(content_of(path, "points"), path, "points", known, form)
