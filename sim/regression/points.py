"""Points of a regression from a table: its variables as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table


def numbers_of(table: Table, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Name -> numbers of its column, shape (rows,).

    Raises:
        InputError: a missing column, or a cell that is no finite number, with its line.
    """
    table.require_columns(tuple(names))
    return {name: _numbers(table, name) for name in names}


def _numbers(table: Table, name: str) -> np.ndarray:
    values = np.empty(len(table.rows))
    for row, cell in enumerate(table.column(name)):
        try:
            values[row] = float(cell)
        except ValueError:
            values[row] = np.nan
        if not np.isfinite(values[row]):
            raise InputError(name, cell, "a finite number", table.place(row))
    return values
