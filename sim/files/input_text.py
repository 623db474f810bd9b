"""The text of a user's file, whose first bytes determine the encoding.

Accepted are UTF-8 with or without a byte-order mark, and UTF-16 or UTF-32 with one, as PowerShell and Excel write them.
Other encodings are refused, with the line that shows them: a guess could change names silently.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
from collections.abc import Iterator
from typing import BinaryIO

from pmtwin.sim.errors import InputError
from pmtwin.sim.files.input_file import Kept, open_content, reading

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SEPARATORS = ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars"))
_UTF8 = ("utf-8", "utf-8-sig")
_SAMPLE = 400
"""Bytes that are inspected for UTF-16 without a byte-order mark."""

SAVE = "in UTF-8; save it so"


def decoded(content: bytes, path: str | os.PathLike, field: str, allowed: str = "a text file") -> str:
    """The text of a file's content, without a byte-order mark.

    Args:
        path, field, allowed: for errors, as of `pmtwin.sim.files.input_file.open_content`.

    Raises:
        InputError: binary content, or text of an unknown encoding.
    """
    encoding = encoding_of(content)
    _check_no_binary(content, encoding, path, field, allowed)
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        wrong = _fault(io.BytesIO(content), encoding)
        raise InputError(field, str(path), f"{allowed} {SAVE}", wrong=wrong) from error


def text_lines(
    path: str | os.PathLike, field: str, allowed: str = "a text file", kept: Kept | None = None, faulty: bool = False
) -> Iterator[str]:
    """The lines of a file of any size, each with a newline at its end; errors as of `decoded`.

    Args:
        kept: as of `open_content`.
        faulty: whether lines with bytes that are no text are passed on; the caller calls `check_text` on each line.
    """
    kept = {} if kept is None else kept
    with reading(path, field, allowed), open_content(path, field, allowed, kept) as file:
        head = file.peek()
        encoding = encoding_of(head)
        _check_no_binary(head.lstrip().partition(b"\n")[0] if faulty else head, encoding, path, field, allowed)
        try:
            errors = "surrogateescape" if faulty and encoding in _UTF8 else "strict"
            with io.TextIOWrapper(file, encoding=encoding, errors=errors) as lines:
                yield from lines
        except UnicodeDecodeError as error:
            with open_content(path, field, allowed, kept) as reopened:
                wrong = _fault(reopened, encoding)
            raise InputError(field, str(path), f"{allowed} {SAVE}", wrong=wrong) from error


def check_text(line: str, number: int, path: str | os.PathLike, field: str, allowed: str) -> None:
    """Raise `InputError` for a line of `text_lines(..., faulty=True)` with a byte that is no text."""
    for letter in line if not line.isascii() else "":
        if "\udc80" <= letter <= "\udcff":
            wrong = f"is no text in UTF-8: line {number} has the byte 0x{ord(letter) - 0xDC00:02x}"
            raise InputError(field, str(path), f"{allowed} {SAVE}", wrong=wrong)


def encoding_of(head: bytes) -> str:
    """The encoding of a text, by its first bytes."""
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), "utf-8")


def cells_of(line: str) -> list[str]:
    """The cells of one line of comma-separated values; an unclosed quote ends with the line."""
    try:
        return [cell.strip() for cell in next(csv.reader([line]), [])]
    except csv.Error:
        return [line.strip()]


def other_separator(header: str) -> str:
    """The separator of a header, in words, if it is not a comma; else empty."""
    commas = header.count(",")
    return next((name for mark, name in _SEPARATORS if header.count(mark) > commas), "")


def check_commas(header: str, path: str | os.PathLike, field: str) -> None:
    """Raise `InputError` for a header with another separator, since commas may then be decimal points."""
    if name := other_separator(header):
        allowed = "commas between the columns, and a point in numbers; save it so"
        raise InputError(field, str(path), allowed, wrong=f"has {name} between its columns")


def lacks_mark(head: bytes) -> bool:
    """Whether the first bytes of a content are UTF-16 without a byte-order mark: nearly every other byte is 0."""
    zeros = sorted(head[start:_SAMPLE:2].count(0) for start in (0, 1))
    half = len(head[:_SAMPLE]) // 2
    return half > 1 and zeros[0] * 10 <= half and zeros[1] * 10 >= half * 9


def _check_no_binary(content: bytes, encoding: str, path: str | os.PathLike, field: str, allowed: str) -> None:
    if encoding in _UTF8 and b"\0" in content:
        wrong = "is text in UTF-16 without a byte-order mark" if lacks_mark(content) else "is a binary file"
        raise InputError(field, str(path), f"{allowed} {SAVE}", wrong=wrong)


def _fault(file: BinaryIO, encoding: str) -> str:
    """The fault of a text that cannot be decoded, in words; in UTF-8 with its line."""
    for number, line in enumerate(file if encoding in _UTF8 else (), 1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            return f"is no text in UTF-8: line {number} has the byte 0x{line[error.start]:02x}"
    return f"is no whole text in {encoding.upper()}"
