"""The header of a table: its first line that is neither blank nor a comment (`#`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from pmtwin.sim.files.input_text import cells_of

COMMENT = "#"
MOST_LINES = 50
"""Lines behind a wrong header in which the right one is looked for."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[-+]?[.\d]+([eE][-+]?\d+)?")


class Header(NamedTuple):
    """Fields:
    line: as the file has it; "" where there is none. number: of the line, from 1; 0 likewise.
    comments: (number, line) of those before it.
    """

    line: str
    number: int
    comments: list[tuple[int, str]]


def is_comment(line: str) -> bool:
    """Whether the line is one, if it stands before the header."""
    return line.lstrip().startswith(COMMENT)


def read_header(lines: Iterator[str]) -> Header:
    """The header; the iterator goes on behind it."""
    comments = []
    for number, line in enumerate(lines, 1):
        if is_comment(line):
            comments.append((number, line))
        elif any(cells_of(line)):
            return Header(line, number, comments)
    return Header("", 0, comments)


def commented_header(header: Iterable[str], comments: Iterable[tuple[int, str]]) -> int:
    """Number of the comment that looks like the header, above a row with a number in the header's place; or 0."""
    cells = list(header)
    if not any(map(_NUMBER.fullmatch, cells)):
        return 0
    for number, comment in comments:
        names = cells_of(comment.strip().lstrip(COMMENT))
        if len(names) == len(cells) > 1 and all(map(_NAME.fullmatch, names)):
            return number
    return 0


def told_elsewhere(
    header: Header, behind: Iterator[str], columns: Iterable[Collection[str]], exact: bool = False
) -> str:
    """Where a header with all of some columns stands, for the error on another one; "" if nowhere near.

    Args:
        behind: the lines after the wrong header. columns: those of any one form are a header.
        exact: whether capitals make another name; else `columns` are in lower case.
    """
    forms = [set(names) for names in columns]

    def holds(line: str) -> bool:
        names = {cell if exact else cell.lower() for cell in cells_of(line)}
        return any(form <= names for form in forms)

    for number, comment in header.comments:
        if holds(comment.strip().lstrip(COMMENT)):
            return f"line {number} has the columns behind a {COMMENT}, which marks a comment: remove the {COMMENT}"
    for number, line in enumerate(islice(behind, MOST_LINES), header.number + 1):
        if holds(line):
            return f"the header is in line {number}: remove the lines before it, or begin each with {COMMENT}"
    return ""
