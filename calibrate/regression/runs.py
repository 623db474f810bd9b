"""Measured runs as a table: one row a run, with the variables of a formula and its response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import parse_table
from pmtwin.sim.files.input_file import content_of
from pmtwin.sim.regression.formula import Formula
from pmtwin.sim.regression.points import numbers_of


def read_runs(paths: Sequence[str], formula: Formula) -> dict[str, np.ndarray]:
    """Columns of the formula, name -> shape (runs,), over all files.

    Raises:
        InputError: a file is not such a table, or a response is not above 0; the message names the line.
    """
    names, parts = (*formula.variables, formula.response), []
    for path in paths:
        table = parse_table(content_of(path, "sources"), path, field="sources")
        columns = numbers_of(table, names)
        for row in np.flatnonzero(columns[formula.response] <= 0.0)[:1]:
            value = float(columns[formula.response][row])
            raise InputError(formula.response, value, "a time above 0", table.place(int(row)))
        parts.append(columns)
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def rows_of(columns: Mapping[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of the selected runs; `rows`: indices or a mask."""
    return {name: values[rows] for name, values in columns.items()}
