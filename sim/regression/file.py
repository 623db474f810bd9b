"""The file of a regression: formula, estimates with their standard errors, source.

pmtwin ships Tables I to IV of Sasidharan, Sun, Lofstead and Klasky, "Performance Models for a Two-tiered Storage
System".
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import resources
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.json_file import parse_json, read_json
from pmtwin.sim.files.typed_json import Finite, NotNegative, check_name, lacking, typed
from pmtwin.sim.regression.formula import Formula

FORMAT, VERSION = "pmtwin-regression", 1
WANTED = "a file that `pmtwin calibrate --form` wrote"
_PACKAGE = "pmtwin.sim.regressions"


class Estimate(Struct):
    """The estimate of a term.

    Fields:
        estimate: in the response's unit over the units of the term's variables.
        standard_error: None if it is not known.
        t: estimate over standard error.
        p: two-sided p-value; `p_is_bound`: whether the source prints "< p".
    """

    estimate: Finite
    standard_error: NotNegative | None = None
    t: Finite | None = None
    p: NotNegative | None = None
    p_is_bound: bool = False


class Variable(Struct):
    """An explanatory variable: unit, and range of its values in the runs."""

    unit: str
    low: Finite
    high: Finite
    description: str = ""


class Regression(Struct):
    """A linear model of a time, with its estimates.

    Fields:
        formula: in R's notation (`pmtwin.sim.regression.formula`).
        unit: unit of the response.
        variables, terms: by name, as the formula has them.
        form: "regression" (least squares), or "mechanistic" (no estimate below 0).
        source: table of a paper, or the command that fitted it.
        aic: Akaike's information criterion; None if it is not known.
        runs: number of runs in the fit.
        mechanism: formula of a mechanistic form with the same variables; empty: none.
        notes: remarks for the reader.
        record: provenance: errors of the fit, seed, versions.
    """

    name: str
    formula: str
    unit: str
    variables: dict[str, Variable]
    terms: dict[str, Estimate]
    form: str
    source: str
    aic: Finite | None = None
    runs: int | None = None
    mechanism: str = ""
    notes: list[str] = []
    record: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if self.mechanism:
            Formula(self.mechanism)
        check_name("form", self.form, ("regression", "mechanistic"))
        formula = Formula(self.formula)
        for field, names in (("terms", formula.terms), ("variables", formula.variables)):
            for name in names:
                if name not in getattr(self, field):
                    raise lacking(field, name)
            for name in getattr(self, field):
                check_name(field, name, names)

    @property
    def response(self) -> str:
        """Name of the predicted column."""
        return Formula(self.formula).response

    def values(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Values of the formula, negative or not; shape (rows,). `columns`: name -> shape (rows,)."""
        formula = Formula(self.formula)
        return formula.matrix(columns) @ [self.terms[name].estimate for name in formula.terms]

    def predict(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """Times at the rows, shape (rows,).

        Raises:
            InputError: the formula gives no positive time at a row; names the row, its values and the negative terms.
        """
        values = self.values(columns)
        rows = np.flatnonzero(~(values > 0.0))
        if rows.size:
            raise self._refused(columns, values, rows)
        return values

    def _refused(self, columns: Mapping[str, np.ndarray], values: np.ndarray, rows: np.ndarray) -> InputError:
        row = int(rows[0])
        formula = Formula(self.formula)
        parts = formula.matrix({name: np.asarray(column)[row : row + 1] for name, column in columns.items()})[0]
        parts = parts * [self.terms[name].estimate for name in formula.terms]
        lowest = [f"{formula.terms[i]} gives {parts[i]:.4g}" for i in np.argsort(parts)[:2] if parts[i] < 0.0]
        point = ", ".join(f"{name} {float(columns[name][row]):g}" for name in formula.variables)
        allowed = f"points at which {self.name} gives a time above 0, which it does not at row {row + 1} ({point}): "
        allowed += f"{'; '.join(lowest)}. So at {rows.size:,} of {values.size:,} rows"
        return InputError(f"{formula.response} in {self.unit}", float(f"{values[row]:.4g}"), allowed)

    def outside(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """For each row, whether a variable lies outside the range of the runs: shape (rows,)."""
        ends = [(columns[name], variable.low, variable.high) for name, variable in self.variables.items()]
        return np.any([(column < low) | (column > high) for column, low, high in ends], axis=0)

    def document(self) -> dict:
        """The file's content, in JSON's own types."""
        return {"format": FORMAT, "version": VERSION, **msgspec.to_builtins(self)}


def regression_of(content: object, where: str) -> Regression:
    """The regression in the content of a file.

    Raises:
        InputError: another kind or version of file, a missing field or a value out of range.
    """
    document = content if isinstance(content, dict) else {}
    if document.get("format") != FORMAT:
        raise InputError("format", document.get("format"), f"{FORMAT}: {WANTED}", where)
    if document.get("version") != VERSION:
        raise InputError("version", document.get("version"), f"{VERSION}: calibrate again with this version", where)
    return typed("regression", content, Regression, where, within="")


def regression_names() -> list[str]:
    """Names of the shipped regressions."""
    folder = resources.files(_PACKAGE)
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


def load_regression(name_or_path: str | os.PathLike) -> Regression:
    """The shipped regression with a name, or the regression in a file.

    Raises:
        InputError: no such regression, or a file of another kind.
    """
    name = os.fspath(name_or_path)
    if name in regression_names():
        content = resources.files(_PACKAGE).joinpath(f"{name}.json").read_bytes()
        return regression_of(parse_json(content, "regression", name), f"regression {name}")
    if not os.path.exists(name) and not name.endswith(".json"):
        raise unknown_name("regression", name, [*regression_names(), "FILE.json"])
    return regression_of(read_json(name, "regression", WANTED), name)
