"""Reading a table of comma-separated values, with errors that name the file and the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.input_text import check_commas, decoded


@dataclass(frozen=True)
class Table:
    """A header, rows as wide as the header, the line of each row in the file, and the file's name for errors."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    where: str

    def place(self, row: int) -> str:
        """Position of row `row`: file:line."""
        return f"{self.where}:{self.lines[row]}"

    def holds_the_same(self, other: Table) -> bool:
        """Whether the other table has the same header and rows, whatever its file."""
        return self.header == other.header and self.rows == other.rows

    def column(self, name: str) -> list[str]:
        """The cells of one column, without surrounding blanks."""
        index = self.header.index(name)
        return [row[index].strip() for row in self.rows]

    def require_columns(self, required: tuple[str, ...]) -> None:
        """Raise `InputError` unless all `required` columns are there, once each."""
        for name in required:
            if self.header.count(name) > 1:
                raise InputError("column", name, "each column once", f"{self.where}:1", wrong="is there twice")
            if name not in self.header:
                raise InputError(f"column {name}", None, f"the header is {', '.join(self.header)}", f"{self.where}:1")

    def refuse_unknown_columns(self, known: tuple[str, ...]) -> None:
        """Raise `InputError` naming the first column that is outside `known` or there twice."""
        for name in self.header:
            if self.header.count(name) > 1:
                raise InputError("column", name, "each column once", f"{self.where}:1", wrong="is there twice")
            if name not in known:
                raise unknown_name("column", name, known, f"{self.where}:1")


def parse_table(content: bytes, where: str, field: str = "file", known: Collection[str] = (), form: str = "") -> Table:
    """The table in CSV text; blank lines, and the header again, are no rows.

    Args:
        known: names of columns of which the header has at least one; empty: any header will do.
        form: the expected form in words, for the error of another header.

    Raises:
        InputError: empty, binary, truncated, of other separators than commas, without a known column, or a row of
            another width than the header.
    """
    text = decoded(content, where, field, "text of comma-separated values")
    check_commas(text.lstrip().split("\n", 1)[0], where, field)
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows, numbers = [], []
    try:
        header = [name.strip() for name in next((row for row in lines if _filled(row)), [])]
        if known and any(header) and not set(known).intersection(header):
            raise InputError(field, where, form, wrong=f"is no table of {field}")
        for row in lines:
            if _filled(row) and [cell.strip() for cell in row] != header:  # of tables that were appended to one another
                rows.append(_checked(row, header, f"{where}:{lines.line_num}"))
                numbers.append(lines.line_num)
    except csv.Error as error:
        raise InputError(
            field, str(error), "well-formed comma-separated values", f"{where}:{lines.line_num}"
        ) from error
    if not any(header):
        raise InputError(field, where, "a header line and at least one row", wrong="is empty")
    if not rows:
        raise InputError(field, where, "a header line and at least one row", wrong="has a header line alone")
    return Table(header, rows, numbers, where)


def _filled(row: list[str]) -> bool:
    """Whether a row is no blank line: a spreadsheet writes those as commas."""
    return any(cell.strip() for cell in row)


def _checked(row: list[str], header: list[str], where: str) -> list[str]:
    if len(row) != len(header):
        raise InputError("row", f"{len(row)} values", f"{len(header)} values, one per column (truncated?)", where)
    return row
