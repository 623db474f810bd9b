"""Traces as CSV with a header: `time_us,dev,op,offset,size` for block requests, or `time,obj_id,...` for objects.

Columns may stand in any order. Block requests need `offset` and `size`, in bytes; objects need `obj_id`, a number or a
name (the column of libCacheSim). An object counts as one page; requests of size 0 are left out. Columns that name the
volume of an offset are used; all others are ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice

import numpy as np

from pmtwin.scenarios.block_traces import volumes
from pmtwin.scenarios.block_traces.dialects import PLAIN, Dialect
from pmtwin.scenarios.block_traces.left_out import HEADER_AGAIN, LeftOut
from pmtwin.scenarios.block_traces.requests import BLOCK_REQUESTS, Requests, checked
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.header import Header, misplaced_header
from pmtwin.sim.files.input_text import cells_of, check_commas, check_text

OFFSETS = {"time_us": "f8", "op": "U16", "offset": "i8", "size": "i8"}
OBJECTS = {"op": "U16", "obj_id": "u8", "size": "f8", "obj_size": "f8"}
BLOCK, OBJECT = ("offset", "size"), "obj_id"
"""Columns that a trace of block requests needs; column that a trace of objects needs."""

FORM = "a header with the columns offset and size, or obj_id"
DAY_US = 86_400 * 10**6
"""Times that are too many digits for a float are counted from a day before the first, also if one lies before it."""

_NAME = 64
"""Length of a name, in characters, from which on lines are parsed one by one."""

WRITES = ("W", "WRITE", "SET", "PUT")
OBJECT_NUMBER = np.uint64((1 << 62) - 1)
"""Bits of an object's number that are used; the numbers are 64-bit hashes."""


class CsvFormat:
    """The columns of a trace.

    Args:
        header: header of the file.
        lines: the lines after it, to find a later header for the error.
        where: path of the file, for errors.
        apart: whether equal offsets on two volumes are different pages.
        dialect: names and units of the columns; that of a file without a header has its first line in `lines` too.

    Raises:
        InputError: for a header without the needed columns, or with other separators.
    """

    def __init__(self, header: Header, lines: Iterator[str], where: str, apart: bool, dialect: Dialect = PLAIN):
        self._header = cells_of(dialect.columns if dialect.line else header.line)
        self._first, self._where, self._apart = header.number + (dialect.line is None), where, apart
        self._dialect, self._origin = dialect, 0
        names = cells_of(dialect.columns) or [name.lower() for name in self._header]
        self.by_object = not set(BLOCK) <= set(names)
        if self.by_object and OBJECT not in names:
            elsewhere = misplaced_header(header, lines, (BLOCK, (OBJECT,)))
            if not elsewhere:
                check_commas(header.line, where, "trace")
            allowed = "; ".join(filter(None, (FORM, elsewhere)))
            raise InputError("header", header.line.strip()[:100] or None, allowed, where)
        kinds = OBJECTS if self.by_object else OFFSETS
        self._volumes = [name for name in volumes.COLUMNS if name in names and not self.by_object]
        self._kinds = {name: kind for name, kind in kinds.items() if name in names}
        self._kinds |= dict.fromkeys(self._volumes, "i8")
        if dialect.ticks_per_us > 1.0:
            self._kinds["time_us"] = "i8"  # counted since 1601: too many for a float
        self._named = [*self._volumes, *(["obj_id"] if self.by_object else [])]
        self._places = [names.index(name) for name in self._kinds]

    def blocks(self, lines: Iterator[str], known: volumes.Volumes, left_out: LeftOut) -> Iterator[Requests]:
        """The requests of the lines after the header, a block at a time.

        Raises:
            InputError: for the first unreadable line, with file and number, if too many lines cannot be read.
        """
        first = self._first
        while block := list(islice(lines, BLOCK_REQUESTS)):
            numbers, table = self._table(block, first, left_out)
            requests = checked(self._requests(table, known), self._where, "line", numbers, left_out)
            first += len(block)
            left_out.check(first - self._first)
            yield requests

    def _table(self, lines: list[str], first: int, left_out: LeftOut) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """(numbers of the lines that are requests, column -> values); NumPy parses nearly all blocks as a whole."""
        numbers = np.arange(first, first + len(lines))
        table = self._parsed(lines)
        if table is None and self._dialect.line:  # no header can be among the lines
            table = self._parsed(lines, names=True)
        if table is None:
            places = [k for k, line in enumerate(lines) if self._is_request(line, first + k, left_out)]
            lines, numbers = [lines[k] for k in places], numbers[places]
            table = self._parsed(lines) or self._parsed(lines, names=True)
            if table is None:
                numbers, table = self._read(lines, numbers, left_out)
        if "obj_id" in table and table["obj_id"].dtype.kind == "U":
            objects, inverse = np.unique(table["obj_id"], return_inverse=True)
            table["obj_id"] = np.array([_object_number(str(name)) for name in objects], np.uint64)[inverse]
        return numbers, table

    def _parsed(self, lines: list[str], names: bool = False) -> dict[str, np.ndarray] | None:
        """Column -> values, parsed by NumPy; None unless all lines have the width of the header and can be parsed.

        Args:
            names: whether objects and volumes are read as text, not as numbers.
        """
        commas = len(self._header) - 1
        if not lines or any(line.count(",") != commas for line in lines) or not _is_text(lines):
            return None
        kinds = [(name, f"U{_NAME}" if names and name in self._named else kind) for name, kind in self._kinds.items()]
        try:
            table = np.loadtxt(lines, kinds, delimiter=",", usecols=self._places, ndmin=1, comments=None, quotechar='"')
        except ValueError:
            return None
        columns = {name: np.char.strip(table[name]) if kind[0] == "U" else table[name] for name, kind in kinds}
        if len(table) < len(lines):  # loadtxt skips blank lines
            return None
        lengths = [np.char.str_len(table[name]) for name in self._named if names]
        cut = any((length == _NAME).any() for length in lengths)
        return None if cut or (self.by_object and not all(length.all() for length in lengths)) else columns

    def _read(
        self, lines: list[str], numbers: np.ndarray, left_out: LeftOut
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """As `_table`, with names as text, line by line; unreadable lines are counted."""
        rows, places = [], []
        for line, number in zip(lines, numbers.tolist(), strict=True):
            try:
                rows.append(self._row(line, number))
                places.append(number)
            except InputError as fault:
                left_out.add_unreadable(fault, f"line {number}")
        columns = list(zip(*rows, strict=True)) or [()] * len(self._kinds)
        return np.array(places, int), {
            name: np.array(column, "U" if name in self._named else kind)
            for (name, kind), column in zip(self._kinds.items(), columns, strict=True)
        }

    def _is_request(self, line: str, number: int, left_out: LeftOut) -> bool:
        cells = cells_of(line)
        if cells == self._header:  # several traces in one file
            left_out.add(HEADER_AGAIN, 1, f"line {number}")
            return False
        return any(cells)

    def _row(self, line: str, number: int) -> tuple:
        check_text(line, number, self._where, "trace", "lines of text")
        cells, place = cells_of(line), f"{self._where}, line {number}"
        if len(cells) < len(self._header) or any(cells[len(self._header) :]):
            raise self._error(line, f"{len(self._header)} cells, one for each column", place)
        try:
            return tuple(
                self._value(name, cells[column]) for name, column in zip(self._kinds, self._places, strict=True)
            )
        except (ValueError, OverflowError):
            whole = ", ".join(name for name, kind in self._kinds.items() if kind == "i8" and name not in self._volumes)
            parts = [f"whole numbers in {whole}" if whole else "", "an object in obj_id" if self.by_object else ""]
            parts += [f"a number in {name}" for name, kind in self._kinds.items() if kind == "f8"]
            raise self._error(line, ", ".join(filter(None, parts)), place) from None

    def _value(self, name: str, cell: str) -> str | int | float:
        if name in self._volumes or name == "op" or (name == "obj_id" and cell):
            return cell
        if self._kinds[name] == "f8":
            return float(cell) if cell or not self.by_object else np.nan  # deletions have no size
        return int(np.int64(int(cell)))

    @staticmethod
    def _error(line: str, allowed: str, place: str) -> InputError:
        return InputError("line", line.strip()[:100], allowed, place)

    def _requests(self, table: dict[str, np.ndarray], known: volumes.Volumes) -> Requests:
        count = len(next(iter(table.values())))
        nothing = np.zeros(count, np.int64)
        writes = (*WRITES, *self._dialect.writes)
        write = np.isin(np.char.upper(table["op"]), writes) if "op" in table else nothing.astype(bool)
        time_us = self._time_us(table["time_us"]) if "time_us" in table else nothing.astype(float)
        if not self.by_object:
            columns = [table[name] for name in self._volumes]
            volume = known.numbers(columns) if columns and count else nothing
            offset, size = (table[name] * self._dialect.bytes for name in BLOCK)
            return Requests(time_us, write, offset, size, volume if self._apart else nothing)
        number = (table["obj_id"] & OBJECT_NUMBER).astype(np.int64)
        empty = np.zeros(count, bool)
        for name in ("size", "obj_size"):
            empty |= table.get(name, nothing + 1) == 0
        return Requests(time_us, write, number, np.where(empty, 0, 1), nothing)

    def _time_us(self, time: np.ndarray) -> np.ndarray:
        if time.dtype.kind == "i" and len(time):
            self._origin = self._origin or time[0] - DAY_US * int(self._dialect.ticks_per_us)
            time = time - self._origin
        return time / self._dialect.ticks_per_us


def _is_text(lines: list[str]) -> bool:
    """Whether all bytes of the lines could be decoded."""
    try:
        "".join(lines).encode()
    except UnicodeEncodeError:
        return False
    return True


def _object_number(name: str) -> int:
    """Number of an object: its name if that is a number of 64 bits, otherwise a hash of the name."""
    if name.isdecimal() and (number := int(name)) < 1 << 64:
        return number
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
