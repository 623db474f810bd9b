"""Reading a table of comma-separated values, with errors that name the file and the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pmtwin.sim.errors import InputError, unknown_name
from pmtwin.sim.files.header import commented_header, read_header
from pmtwin.sim.files.input_text import check_commas, decoded


@dataclass(frozen=True)
class Table:
    """A header, rows as wide as the header, the line of each row in the file, and the file's name for errors.

    `broken`: errors of lines of another form, where these do not cost the table. `begins`: the rows with which tables
    begin that were appended to the first, each with the header again.
    """

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    where: str
    broken: tuple[InputError, ...] = ()
    begins: tuple[int, ...] = ()

    def take(self, rows: Sequence[int]) -> Table:
        """The table of some of its rows."""
        return Table(self.header, [self.rows[k] for k in rows], [self.lines[k] for k in rows], self.where)

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


def parse_table(
    content: bytes,
    where: str,
    field: str = "file",
    known: Collection[str] = (),
    form: str = "",
    broken_rows: bool = False,
) -> Table:
    """The table in CSV text; blank lines, comments (#) before the header, and the header again, are no rows.

    Args:
        known: names of columns of which the header has at least one; empty: any header will do.
        form: the expected form in words, for the error of another header.
        broken_rows: keep a row of another width or with stray quotes apart (`Table.broken`), in place of an error. No
            cell then goes over several lines.

    Raises:
        InputError: empty, binary, truncated, of other separators than commas, without a known column, or a row of
            another width than the header.
    """
    text = decoded(content, where, field, "text of comma-separated values")
    named = read_header(io.StringIO(text, newline=None))
    check_commas(named.line, where, field)
    if named.comments:  # a comment may have quotes of its own
        text_lines = list(io.StringIO(text, newline=""))
        for number, _ in named.comments:
            text_lines[number - 1] = "\n"
        text = "".join(text_lines)
    rows: list[list[str]] = []
    numbers, broken, begins = [], [], []
    header: list[str] = []
    lines = _lines(text, where, field) if broken_rows else _whole(text, where, field)
    for row, line in lines:
        place = f"{where}:{line}"
        if not header and not isinstance(row, InputError):
            header = [name.strip() for name in row]
            if at := commented_header(header, named.comments):
                allowed = "a header without #, which marks a comment"
                raise InputError("header", dict(named.comments)[at].strip(), allowed, f"{where}:{at}")
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
        raise InputError(field, where, "a header line and at least one row", wrong="has a header line alone")
    filled = [index for index, name in enumerate(header) if name or any(row[index].strip() for row in rows)]
    if len(filled) < len(header):  # columns that a spreadsheet padded
        header, *rows = ([row[index] for index in filled] for row in (header, *rows))
    return Table(header, rows, numbers, where, tuple(broken), tuple(begins))


def _whole(text: str, where: str, field: str) -> Iterator[tuple[list[str], int]]:
    """Rows that are no blank lines, and the line at which each ends."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in lines:
            if _filled(row):
                yield row, lines.line_num
    except csv.Error as error:
        allowed = "well-formed comma-separated values"
        raise InputError(field, str(error), allowed, f"{where}:{lines.line_num}") from error


def _lines(text: str, where: str, field: str) -> Iterator[tuple[list[str] | InputError, int]]:
    """The same, line by line: the error of one in place of the row."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            for row, _ in _whole(line, where, field):
                yield row, number
        except InputError as error:
            yield InputError(field, error.value, error.allowed, f"{where}:{number}"), number


def _filled(row: list[str]) -> bool:
    """Whether a row is no blank line: a spreadsheet writes those as commas."""
    return any(cell.strip() for cell in row)


def _checked(row: list[str] | InputError, header: list[str], where: str) -> list[str]:
    if isinstance(row, InputError):
        raise row
    if not any(cell.strip() for cell in row[len(header) :]):
        row = row[: len(header)]
    if len(row) != len(header):
        raise InputError("row", f"{len(row)} values", f"{len(header)} values, one per column (truncated?)", where)
    return row
