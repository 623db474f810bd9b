"""Output of `pmtwin predict`: predictions as a readable table, CSV or JSON, and notes on rows that stay empty."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pmtwin.console.output import counted, message, print_json, print_table, print_text
from pmtwin.prediction.readable import quantities, table_to_read, wide_rows
from pmtwin.sim.device.intervals import TOO_WIDE, WIDEST_FACTOR
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.files.csv_table import Table

MOST_LINES = 8
"""Largest number of line numbers in a note."""


@dataclass(frozen=True)
class Answer:
    """Predictions for a table.

    Args:
        table: the input.
        predicted: column -> values, shape (rows,).
        added: columns of `predicted` that CSV and JSON contain, in this order.
        refused: reason why the profile cannot predict a row, "" where it can, shape (rows,).
        remarks: remarks on all rows.
        shown: quantities of the readable table without --columns.
        why: function from extrapolated rows to a text on their values outside the measurements; "" if no single value
            is outside.
    """

    table: Table
    predicted: Mapping[str, np.ndarray]
    added: Sequence[str]
    refused: np.ndarray
    remarks: list[str] = field(default_factory=list)
    shown: Sequence[str] = ()
    why: Callable[[Iterable[int]], str] = lambda _: ""

    @property
    def wide(self) -> dict[str, np.ndarray]:
        """Quantity -> in which rows its interval is too wide to use, shape (rows,)."""
        return wide_rows(self.predicted, self.added, len(self.table.rows))

    @property
    def notes(self) -> list[str]:
        """A note on each row; "" for no note."""
        unknown = self.predicted.get("not_identified", self.refused)
        return [
            f"refused: {refused}" if refused else f"not identified: {what}" if what else EXTRAPOLATED * bool(beyond)
            for refused, what, beyond in zip(self.refused, unknown, self.predicted["extrapolated"], strict=True)
        ]


EXTRAPOLATED = "extrapolated"


class Form(Protocol):
    """Options for the form of the output."""

    @property
    def points(self) -> str | None: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def csv(self) -> bool: ...
    @property
    def json(self) -> bool: ...
    @property
    def dry_run(self) -> bool: ...


def print_to_read(answer: Answer, columns: Sequence[str] = ()) -> None:
    """Print the answer as a readable table.

    Args:
        answer: the predictions.
        columns: quantities of the table; empty: `answer.shown`.

    Raises:
        InputError: for an unknown quantity.
    """
    known = quantities(answer.added)
    check_columns(answer, columns)
    shown = [known[name] for name in columns or answer.shown]
    print_table(*table_to_read(answer.table, answer.predicted, answer.notes, shown))
    beyond = [row for row, note in enumerate(answer.notes) if note == EXTRAPOLATED]
    if outside := answer.why(beyond):
        print_text(f"{EXTRAPOLATED}: {outside}")


def check_columns(answer: Answer, columns: Sequence[str]) -> None:
    """Raise `InputError` for a quantity that the answer does not have."""
    known = quantities(answer.added)
    for name in columns:
        if name not in known:
            raise unknown_name("columns", name, known)


def print_answer(answer: Answer, profile: str, form: Form) -> None:
    """Print the answer, and on standard error which cells are empty and why.

    Raises:
        InputError: for an unknown quantity.
    """
    check_columns(answer, form.columns)
    if form.dry_run:
        _print_account(answer, form.json)
        return
    if form.json:
        print_json({"profile": profile, "rows": json_rows(answer)})
    elif form.csv or not (form.points is None or form.columns or sys.stdout.isatty()):
        sys.stdout.write(csv_text(answer))
    else:
        print_to_read(answer, form.columns)
    unknown = answer.predicted.get("not_identified")
    if unknown is not None:
        _explain(answer.table, np.where(answer.refused == "", unknown, ""), f"not identified by profile {profile}")
    _explain(answer.table, answer.refused, f"refused by profile {profile}")
    for remark in answer.remarks:
        message(remark)
    if wide := answer.wide:
        count = counted(int(np.any(list(wide.values()), axis=0).sum()), "row")
        message(
            f"{TOO_WIDE}: intervals of {', '.join(wide)} that span more than a factor of {WIDEST_FACTOR:g}; {count}"
        )


def csv_text(answer: Answer) -> str:
    """CSV of the columns of the input, unchanged, and the added columns."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*answer.table.header, *answer.added])
    columns = [_cells(answer.predicted[name], answer.refused) for name in answer.added]
    for row, *cells in zip(answer.table.rows, *columns, strict=True):
        writer.writerow([*row, *cells])
    return text.getvalue()


def _cells(values: np.ndarray, refused: np.ndarray) -> list[str]:
    """Cells of a column: numbers with six digits, or true and false; empty for unknown values."""
    if values.dtype == bool:
        cells = [str(bool(value)).lower() for value in values]
    else:
        cells = ["" if np.isnan(value) else f"{value:.6g}" for value in values]
    return ["" if why else cell for cell, why in zip(cells, refused, strict=True)]


def json_rows(answer: Answer) -> list[dict]:
    """A mapping of column to plain value for each row, None where nothing is known."""
    rows, notes, wide = [], answer.notes, answer.wide
    for index, cells in enumerate(answer.table.rows):
        row: dict[str, object] = {"line": answer.table.lines[index]}
        row |= {name: cell.strip() for name, cell in zip(answer.table.header, cells, strict=True)}
        for name in answer.added:
            value = answer.predicted[name][index]
            truth = isinstance(value, bool | np.bool_)
            empty = answer.refused[index] or (not truth and np.isnan(value))
            row[name] = None if empty else bool(value) if truth else float(value)
        names = ", ".join(name for name, there in wide.items() if there[index])
        outside = answer.why([index]) if notes[index] == EXTRAPOLATED else ""
        words = (": ".join(filter(None, (notes[index], outside))), f"{TOO_WIDE}: interval of {names}" if names else "")
        rows.append(row | {"note": "; ".join(filter(None, words))})
    return rows


def _explain(table: Table, reasons: np.ndarray, what: str) -> None:
    """One line on standard error for each reason, with the lines of its rows."""
    for reason in sorted(set(reasons.tolist()) - {""}):
        rows = np.flatnonzero(reasons == reason)
        message(f"{table.where}:{lines_of(table, rows)}: {what}: {reason}; {counted(rows.size, 'row')} left empty")


def lines_of(table: Table, rows: np.ndarray) -> str:
    """Line numbers of rows such as `3,5,6`; only the first few of many."""
    lines = [str(table.lines[row]) for row in rows[:MOST_LINES]]
    return ",".join(lines) + (",..." if rows.size > MOST_LINES else "")


def _print_account(answer: Answer, as_json: bool) -> None:
    """Print the number of rows by kind of result, each row counted once."""
    kinds = np.array([note or "inside the fitted range" for note in answer.notes], dtype=object)
    accounts = [
        {
            "rows": int(np.sum(kinds == kind)),
            "what": kind,
            "lines": lines_of(answer.table, np.flatnonzero(kinds == kind)),
        }
        for kind in sorted(set(kinds.tolist()))
    ]
    if as_json:
        print_json({"rows": len(kinds), "of": accounts})
        return
    print_table([(entry["rows"], entry["what"], entry["lines"]) for entry in accounts], ("rows", "what", "lines"))
    print(f"{counted(len(kinds), 'row')} in {answer.table.where}; nothing was printed of their predictions")
