"""Predictions as a readable table: a few quantities with intervals and units, and notes on single rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pmtwin.sim.device.intervals import TOO_WIDE, too_wide
from pmtwin.sim.files.csv_table import Table

EMPTY = "-"
_STEPS = {
    "mib_s": ((1024.0, 1024.0, "GiB/s"), (0.0, 1.0, "MiB/s")),
    "ns": ((1e6, 1e6, "ms"), (1e3, 1e3, "us"), (0.0, 1.0, "ns")),
    "ops": ((1e6, 1e6, "M ops/s"), (1e4, 1e3, "k ops/s"), (0.0, 1.0, "ops/s")),
    "": ((0.0, 1.0, ""),),
}
"""Unit of a column -> (least value, divisor, printed unit), the largest first."""


@dataclass(frozen=True)
class Quantity:
    """One quantity of a prediction.

    Args:
        name: its name in `--columns` and in the heading.
        value, low, high: columns of the prediction; those of `low` and `high` may not exist.
        unit: unit of the columns: mib_s, ns, ops, or "" for none.
    """

    name: str
    value: str
    low: str
    high: str
    unit: str


def quantity(column: str) -> Quantity:
    """Quantity of a column whose name ends in its unit, such as `read_latency_ns`."""
    unit = next((unit for unit in _STEPS if unit and column.endswith(f"_{unit}")), "")
    stem = column.removesuffix(f"_{unit}") if unit else column
    tail = f"_{unit}" if unit else ""
    return Quantity(stem, column, f"{stem}_low{tail}", f"{stem}_high{tail}", unit)


def quantities(added: Sequence[str]) -> dict[str, Quantity]:
    """Name -> quantity for the columns that a prediction adds; interval ends are no quantities of their own."""
    candidates = [quantity(column) for column in added if column != "extrapolated"]
    ends = {end for candidate in candidates for end in (candidate.low, candidate.high)}
    return {candidate.name: candidate for candidate in candidates if candidate.value not in ends}


def readable(shown: Quantity, predicted: Mapping[str, np.ndarray], row: int) -> str:
    """A quantity of one row as text with three significant digits, such as `12.3 [10.1, 14.9] GiB/s`."""
    value = float(predicted[shown.value][row])
    if math.isnan(value):
        return EMPTY
    _, divisor, unit = next(step for step in _STEPS[shown.unit] if value >= step[0])
    ends = [float(predicted[name][row]) if name in predicted else math.nan for name in (shown.low, shown.high)]
    interval = "" if any(map(math.isnan, ends)) else f" [{', '.join(_digits(end / divisor) for end in ends)}]"
    text = f"{_digits(value / divisor)}{interval} {unit}".rstrip()
    return f"{text}, {TOO_WIDE}" if too_wide(*ends) else text


def wide_rows(predicted: Mapping[str, np.ndarray], added: Sequence[str], rows: int) -> dict[str, np.ndarray]:
    """Quantity -> in which rows its interval is too wide to use, shape (rows,); only quantities with such rows."""
    every = quantities(added).values()
    wide = {
        each.name: np.broadcast_to(too_wide(predicted[each.low], predicted[each.high]), rows)
        for each in every
        if each.low in predicted
    }
    return {name: there for name, there in wide.items() if np.any(there)}


def _digits(value: float) -> str:
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def table_to_read(
    table: Table, predicted: Mapping[str, np.ndarray], notes: Sequence[str], shown: Sequence[Quantity]
) -> tuple[list[list[str]], list[str]]:
    """(rows, header) of the readable table: filled columns of the input, quantities, and notes if there are any."""
    filled = [index for index in range(len(table.header)) if any(row[index].strip() for row in table.rows)]
    header = [*(table.header[index] for index in filled), *(quantity.name for quantity in shown)]
    rows = [
        [
            *(cells[index].strip() or EMPTY for index in filled),
            *(readable(quantity, predicted, row) for quantity in shown),
        ]
        for row, cells in enumerate(table.rows)
    ]
    if any(notes):
        header.append("note")
        rows = [[*cells, note] for cells, note in zip(rows, notes, strict=True)]
    return rows, header
