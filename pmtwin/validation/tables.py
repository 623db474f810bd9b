"""Default tables of a validation's result; a scenario may define other tables."""

from __future__ import annotations

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Table

SIDES = ("predicted", "measured")
ERRORS = ("median_percent", "worst_percent", "bias_percent")


def tables(result: dict) -> list[Table]:
    """Errors of all cases together, and every comparison."""
    return [_errors(result), _comparisons(result)]


def _errors(result: dict) -> Table:
    rows = [
        (group, measure, *(_number(values[name]) for name in ERRORS))
        for group, errors in result["errors"].items()
        for measure, values in errors.items()
    ]
    header = ("group", "measure", "median error %", "worst %", "bias %")
    return Table("validation-errors", "How far the twin is off", header, rows)


def _comparisons(result: dict) -> Table:
    measures = [*next(iter(result["errors"].values())), "reward"]
    rows = [
        (entry["policy"], entry["workload"], *(_number(entry[m][side]["mean"], 4) for m in measures for side in SIDES))
        for entry in result["comparisons"]
    ]
    header = ("policy", "workload", *(f"{measure} {side}" for measure in measures for side in SIDES))
    return Table("validation", "Every comparison", header, rows)


def _number(value: float | None, digits: int = 3) -> str | None:
    return None if value is None else number(value, digits)
