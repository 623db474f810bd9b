"""A trace from a file, plain or compressed, or from a pipe, read in blocks any number of times."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from pmtwin.scenarios.block_traces import APART, oracle_format
from pmtwin.scenarios.block_traces.csv_format import CsvFormat
from pmtwin.scenarios.block_traces.dialects import NAMES, dialect_of
from pmtwin.scenarios.block_traces.left_out import LeftOut
from pmtwin.scenarios.block_traces.line_formats import LINE_FORMATS, LineFormat
from pmtwin.scenarios.block_traces.requests import Requests
from pmtwin.scenarios.block_traces.volumes import Volumes
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.header import read_header
from pmtwin.sim.files.input_file import Kept, open_content, reading
from pmtwin.sim.files.input_text import check_text, encoding_of, lacks_mark, text_lines

FIELD = "trace"
FORMS = (
    f"CSV with a header or of {NAMES}, a log of fio, text of blkparse, oracleGeneral of libCacheSim; also compressed"
)
_NAMES = (b"offset", b"obj_id")
"""Columns of which the header of a CSV trace has one."""

_HEADER = 40
"""Number of leading bytes that are tested for a CSV header in UTF-16 or UTF-32."""


class Trace:
    """A trace of block requests or of objects.

    Args:
        path: path of the file; its format, one of `FORMS`, is recognised by its content.
        volumes: `apart`: equal offsets on two volumes are different pages; `together`: they are the same page.
        strict: whether a value out of range, or a time that goes back, is an error; otherwise such values are counted,
            up to 1 % of the lines, and times are taken as they are.

    Attributes:
        by_object: whether requests are for objects, not for blocks.
        volumes: volumes found so far.
        left_out: lines that the last pass did not use.

    Raises:
        InputError: for a file that cannot be read or has no known format.
    """

    def __init__(self, path: str | Path, volumes: str = APART, strict: bool = False):
        self._strict = strict
        self.path, self._name, self._apart = Path(path), str(path), volumes == APART
        self.volumes, self.left_out = Volumes(), LeftOut(strict)
        self._kept: Kept = {}
        with open_content(path, FIELD, FORMS, self._kept) as file:
            self._binary = _is_binary(file.peek())
        self.by_object = self._binary or self._text()[0].by_object

    def page_bytes(self, page_bytes: int) -> int:
        """Size of a page in the unit of offsets: `page_bytes`, or 1 in a trace of objects, each of which is a page."""
        return 1 if self.by_object else page_bytes

    def blocks(self) -> Iterator[Requests]:
        """All requests, a block at a time.

        Raises:
            InputError: for a truncated file, or for the first unreadable line if too many lines cannot be read.
        """
        self.left_out = LeftOut(self._strict)
        if self._binary:
            with reading(self.path, FIELD, FORMS), open_content(self.path, FIELD, FORMS, self._kept) as file:
                yield from oracle_format.blocks(file, self._name, self.left_out)
        else:
            form, lines = self._text()
            yield from form.blocks(lines, self.volumes, self.left_out)

    def _text(self) -> tuple[CsvFormat | LineFormat, Iterator[str]]:
        """(form of a trace in text, its lines, without that of a header)."""
        lines = text_lines(self.path, FIELD, FORMS, self._kept, faulty=True)
        header = read_header(lines)
        if not header.line:
            raise InputError(FIELD, self._name, FORMS, wrong="is empty")
        check_text(header.line, header.number, self._name, FIELD, FORMS)
        for form in LINE_FORMATS:
            if form.is_first(header.line):
                return form(header, self._name, self._apart), chain([header.line], lines)
        dialect = dialect_of(header)
        if dialect.line:
            lines = chain([header.line], lines)
        return CsvFormat(header, lines, self._name, self._apart, dialect), lines


def _is_binary(head: bytes) -> bool:
    encoding = encoding_of(head)
    wide = encoding not in ("utf-8", "utf-8-sig") and head[:_HEADER].decode(encoding, "ignore").isascii()
    header = head.removeprefix(BOM_UTF8).lstrip().partition(b"\n")[0]
    if header.isascii() and b"\0" not in header and any(name in header.lower() for name in _NAMES):
        return False  # zero bytes after a header are unreadable lines of a CSV file
    return b"\0" in head and not wide and not lacks_mark(head)
