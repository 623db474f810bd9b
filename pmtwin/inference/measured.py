"""A user's measurements as evidence: a table of settings, contexts, measures and values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from pmtwin.calibrate.inference.statements import LINEAR, LOG, LOGIT, Between, Statement, Value
from pmtwin.inference.settings_simulator import ATTAINMENT, STATISTICS, Case, quantity_name
from pmtwin.scenarios.scenario import Scenario
from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.csv_table import parse_table
from pmtwin.sim.files.input_file import content_of, plain_suffix
from pmtwin.sim.files.table_file import read_table

UNCONTROLLED = "none"
"""Value in the column of settings for the scenario's mode without settings."""

NUMBERS = ("value", "tolerance_percent", "low", "high")
FORMER_ATTAINMENT = "sla_attainment"
"""Name of the attainment in files up to version 0.2."""

ATTAINMENT_DISCREPANCY = 0.3
"""Discrepancy of the logit of a measured share for a tolerance of 10 %.

A relative error of a share would not mean the same at 0.01 and at 0.99.
"""


@dataclass(frozen=True)
class Measured:
    """Statements, and the cases (a setting in a context) that they are about."""

    statements: tuple[Statement, ...]
    cases: tuple[Case, ...]


def read_measured(path: Path, scenario: Scenario) -> Measured:
    """Evidence from a CSV file (a header and rows), or a TOML file (tables `[[measured]]` with the same names).

    Columns: the scenario's noun of contexts (default: the first context), its noun of settings, `measure`, `statistic`
    (default: the median over the windows), and either `value` with `tolerance_percent` (a standard deviation of the
    comparison) or `low` and `high`.

    Raises:
        InputError: for an unknown name, a value that is no number, a row with neither or both forms of a value, or a
            measurement that stands in the file twice; it names the file, and the row of a wrong value.
    """
    is_toml = plain_suffix(path) == ".toml" or b"[[measured]]" in content_of(path, "--evidence")
    rows = _toml_rows(path) if is_toml else _csv_rows(path)
    if not rows:
        raise InputError("--evidence", str(path), "a file with at least one measurement")
    measurements = [_row(entry, scenario, where) for where, entry in rows]
    names = [statement.name for statement, _ in measurements]
    for statement, _ in measurements:
        if names.count(statement.name) > 1:
            raise InputError("--evidence", statement.name, "each measurement once", str(path))
    statements = tuple(statement for statement, _ in measurements)
    return Measured(statements, tuple(dict.fromkeys(case for _, case in measurements)))


def _csv_rows(path: Path) -> list[tuple[str, dict]]:
    table = parse_table(content_of(path, "--evidence"), str(path), "--evidence")
    return [
        (
            table.place(k),
            {name.strip(): cell.strip() for name, cell in zip(table.header, row, strict=True) if cell.strip()},
        )
        for k, row in enumerate(table.rows)
    ]


def _toml_rows(path: Path) -> list[tuple[str, dict]]:
    content = read_table(path, "--evidence", "a TOML file, or a CSV file whose name ends in .csv")
    entries = content.get("measured")
    if set(content) != {"measured"} or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise InputError("--evidence", str(path), "a TOML file of tables [[measured]] and nothing else")
    return [(f"{path}, measured {k + 1}", dict(entry)) for k, entry in enumerate(entries)]


def _row(entry: Mapping, scenario: Scenario, where: str) -> tuple[Statement, Case]:
    nouns = scenario.contexts.noun, scenario.settings.noun
    known = (*nouns, "measure", "statistic", *NUMBERS)
    for name in entry:
        if name not in known:
            raise unknown_name("column", name, known, where)
    try:
        case = _case(entry, scenario, *nouns)
        measure, statistic = _quantity(entry, scenario)
        numbers = {name: _number(name, entry[name]) for name in NUMBERS if name in entry}
        return _statement(numbers, quantity_name(scenario, case, measure, statistic), measure), case
    except InputError as error:
        raise error.renamed(error.field, where) from error


def _case(entry: Mapping, scenario: Scenario, context_noun: str, setting_noun: str) -> Case:
    context = scenario.contexts.check(entry.get(context_noun, scenario.contexts.names[0]))
    setting = entry.get(setting_noun)
    if setting is None:
        raise InputError(setting_noun, None, f"{scenario.settings.form}, or {UNCONTROLLED}")
    if setting == UNCONTROLLED and len(scenario.modes) > 1:
        return Case(context, None)
    parse = scenario.settings.parse if isinstance(setting, str) else scenario.settings.check
    return Case(context, parse(setting_noun, setting))


def _quantity(entry: Mapping, scenario: Scenario) -> tuple[str, str]:
    measures = (*(measure.name for measure in scenario.measures), ATTAINMENT)
    if entry.get("measure") is None:
        raise InputError("measure", None, f"one of {', '.join(measures)}, in a column of that name")
    measure, statistic = str(entry["measure"]), str(entry.get("statistic", "median"))
    measure = ATTAINMENT if measure == FORMER_ATTAINMENT else measure
    if measure not in measures:
        raise unknown_name("measure", measure, measures)
    if statistic not in STATISTICS:
        raise unknown_name("statistic", statistic, STATISTICS)
    return measure, statistic


def _number(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(name, value, "a finite number")
    if number < 0.0 or (name == "tolerance_percent" and number == 0.0):
        raise InputError(name, value, "above 0" if name == "tolerance_percent" else "at least 0")
    return number


class _About(TypedDict):
    name: str
    source: str
    text: str
    quantity: str


def _statement(numbers: Mapping[str, float], quantity: str, measure: str) -> Statement:
    share = measure == ATTAINMENT
    for name in ("value", "low", "high"):
        if share and numbers.get(name, 0.0) > 1.0:
            raise InputError(name, numbers[name], f"0 to 1: {ATTAINMENT} is a share of the windows")
    scale = LOGIT if share else LOG
    text = ", ".join(f"{name} {value:g}" for name, value in numbers.items())
    about: _About = {"name": quantity, "source": "measured", "text": text, "quantity": quantity}
    if set(numbers) == {"value", "tolerance_percent"}:
        value, tolerance = numbers["value"], numbers["tolerance_percent"] / 100.0
        if share:
            return Value(**about, scale=scale, value=value, discrepancy=ATTAINMENT_DISCREPANCY * tolerance / 0.1)
        if value == 0.0:
            return Value(**about, scale=LINEAR, value=value, discrepancy=tolerance)
        return Value(**about, scale=scale, value=value, discrepancy=tolerance)
    if set(numbers) == {"low", "high"}:
        low, high = numbers["low"], numbers["high"]
        if not low < high:
            raise InputError("low", low, f"below high, {high:g}")
        # the ends of a stated interval are meant: the discrepancy is only a tenth of its width, on its scale
        return Between(**about, scale=LINEAR, low=low, high=high, discrepancy=0.1 * (high - low))
    raise InputError("value", text or None, "value and tolerance_percent, or low and high")
