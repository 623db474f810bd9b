"""Reading a table of comma-separated values, with errors that name the file and the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.header import Header, commented_header, read_header
from pmtwin.sim.files.input_text import check_commas, decoded


@dataclass(frozen=True)
class Table:
    """A table of a file.

    Args:
        header: names of the columns.
        rows: cells of each row, one for each column.
        lines: line of each row in the file, from 1.
        where: name of the file, for errors.
        broken: errors of lines that are no rows, if the reader keeps them.
        begins: indices of rows that follow a repeated header: other tables were appended there.
    """

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    where: str
    broken: tuple[InputError, ...] = ()
    begins: tuple[int, ...] = ()

    def take(self, rows: Sequence[int]) -> Table:
        """The table with these rows only."""
        return Table(self.header, [self.rows[k] for k in rows], [self.lines[k] for k in rows], self.where)

    def place(self, row: int) -> str:
        """Position of row `row`: file:line."""
        return f"{self.where}:{self.lines[row]}"

    def holds_the_same(self, other: Table) -> bool:
        """Whether another table has the same header and rows; its file may differ."""
        return self.header == other.header and self.rows == other.rows

    def column(self, name: str) -> list[str]:
        """The cells of one column, without surrounding blanks."""
        index = self.header.index(name)
        return [row[index].strip() for row in self.rows]

    def require_columns(self, required: tuple[str, ...]) -> None:
        """Raise `InputError` unless the header has each of the `required` columns once."""
        for name in required:
            if self.header.count(name) > 1:
                raise InputError("column", name, "each column once", f"{self.where}:1", wrong="is there twice")
            if name not in self.header:
                raise InputError(f"column {name}", None, f"the header is {', '.join(self.header)}", f"{self.where}:1")

    def refuse_unknown_columns(self, known: tuple[str, ...]) -> None:
        """Raise `InputError` for the first column that is not among `known` or occurs twice."""
        for name in self.header:
            if self.header.count(name) > 1:
                raise InputError("column", name, "each column once", f"{self.where}:1", wrong="is there twice")
            if name not in known:
                raise unknown_name("column", name, known, f"{self.where}:1")


def parse_table(
    content: bytes,
    where: str,
    field: str = "file",
    known: Collection[str] = (),
    form: str = "",
    broken_rows: bool = False,
) -> Table:
    """The table in CSV text. Blank lines, comments (#) before the header, and repeated headers are no rows.

    Args:
        content: content of the file. where, field: name of the file and of the option, for errors.
        known: names of columns, of which the header must have at least one; empty: any header is accepted.
        form: the expected form in words, for the error about another header.
        broken_rows: whether a row of another width or with stray quotes goes to `Table.broken`, instead of an error. If
            so, cells cannot span several lines.

    Raises:
        InputError: the content is empty, binary or truncated, has other separators than commas or no known column, or a
            row has another width than the header.
    """
    text = decoded(content, where, field, "text of comma-separated values")
    named = read_header(io.StringIO(text, newline=None))
    check_commas(named.line, where, field)
    text = _without_comments(text, named)
    rows: list[list[str]] = []
    numbers, broken, begins = [], [], []
    header: list[str] = []
    lines = _lines(text, where, field) if broken_rows else _whole(text, where, field)
    for row, line in lines:
        place = f"{where}:{line}"
        if not header and not isinstance(row, InputError):
            header = [name.strip() for name in row]
            _check_commented(header, named, where)
            if known and not set(known).intersection(header):
                raise InputError(field, where, form, wrong=f"is no table of {field}")
            continue
        if not isinstance(row, InputError) and [cell.strip() for cell in row] == header:
            begins.append(len(rows))
            continue
        try:
            rows.append(_checked(row, header, place))
            numbers.append(line)
        except InputError as error:
            if not broken_rows:
                raise
            broken.append(error)
    if not any(header):
        raise InputError(field, where, "a header line and at least one row", wrong="is empty")
    if not rows:
        if broken:
            raise broken[0]
        raise InputError(field, where, "a header line and at least one row", wrong="has only a header line")
    header, rows = _without_empty_columns(header, rows)
    return Table(header, rows, numbers, where, tuple(broken), tuple(begins))


def _without_comments(text: str, header: Header) -> str:
    """The text with blank lines in place of the comments before the header, which may have quotes."""
    if not header.comments:
        return text
    lines = list(io.StringIO(text, newline=""))
    for number, _ in header.comments:
        lines[number - 1] = "\n"
    return "".join(lines)


def _check_commented(names: list[str], header: Header, where: str) -> None:
    """Raise `InputError` if the header is a row of numbers, and the names of the columns are in a comment."""
    if number := commented_header(names, header.comments):
        allowed = "a header without #, which marks a comment"
        raise InputError("header", dict(header.comments)[number].strip(), allowed, f"{where}:{number}")


def _without_empty_columns(header: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """(header, rows) without columns that have neither a name nor a cell; a spreadsheet adds such columns."""
    filled = [index for index, name in enumerate(header) if name or any(row[index].strip() for row in rows)]
    if len(filled) == len(header):
        return header, rows
    return [header[index] for index in filled], [[row[index] for index in filled] for row in rows]


def _whole(text: str, where: str, field: str) -> Iterator[tuple[list[str], int]]:
    """(row, line at which it ends) for all rows that are not blank."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in lines:
            if _filled(row):
                yield row, lines.line_num
    except csv.Error as error:
        allowed = "well-formed comma-separated values"
        raise InputError(field, str(error), allowed, f"{where}:{lines.line_num}") from error


def _lines(text: str, where: str, field: str) -> Iterator[tuple[list[str] | InputError, int]]:
    """(row, line) for all lines that are not blank; the row of a malformed line is its error."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            for row, _ in _whole(line, where, field):
                yield row, number
        except InputError as error:
            yield InputError(field, error.value, error.allowed, f"{where}:{number}"), number


def _filled(row: list[str]) -> bool:
    """Whether a row has any content; a spreadsheet writes a blank line as commas."""
    return any(cell.strip() for cell in row)


def _checked(row: list[str] | InputError, header: list[str], where: str) -> list[str]:
    if isinstance(row, InputError):
        raise row
    if not any(cell.strip() for cell in row[len(header) :]):
        row = row[: len(header)]
    if len(row) != len(header):
        raise InputError("row", f"{len(row)} values", f"{len(header)} values, one per column (truncated?)", where)
    return row
