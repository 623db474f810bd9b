"""The header of a table: its first line that is neither blank nor a comment (`#`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from pmtwin.sim.files.input_text import cells_of

COMMENT = "#"
MOST_LINES = 50
"""Lines after a wrong header that are searched for the right one."""

_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[-+]?[.\d]+([eE][-+]?\d+)?")


class Header(NamedTuple):
    """The header line of a table.

    Fields:
        line: text of the line; "" if there is no header.
        number: number of the line, from 1; 0 if there is no header.
        comments: (number, line) of each comment before it.
    """

    line: str
    number: int
    comments: list[tuple[int, str]]


def is_comment(line: str) -> bool:
    """Whether a line before the header is a comment."""
    return line.lstrip().startswith(COMMENT)


def read_header(lines: Iterator[str]) -> Header:
    """The header; the iterator is left at the line after it."""
    comments = []
    for number, line in enumerate(lines, 1):
        if is_comment(line):
            comments.append((number, line))
        elif any(cells_of(line)):
            return Header(line, number, comments)
    return Header("", 0, comments)


def commented_header(header: Iterable[str], comments: Iterable[tuple[int, str]]) -> int:
    """Line number of a comment that looks like the header, if `header` has numbers and so is a row; else 0."""
    cells = list(header)
    if not any(map(_NUMBER.fullmatch, cells)):
        return 0
    for number, comment in comments:
        names = cells_of(comment.strip().lstrip(COMMENT))
        if len(names) == len(cells) > 1 and all(map(_NAME.fullmatch, names)):
            return number
    return 0


def misplaced_header(
    header: Header, lines: Iterator[str], columns: Iterable[Collection[str]], exact: bool = False
) -> str:
    """Where the right header stands near a wrong one, in words for an error; "" if it is not found.

    Args:
        header: the wrong header. lines: the lines after it.
        columns: for each form of file, columns that its header has.
        exact: whether case matters; if not, `columns` are in lower case.
    """
    forms = [set(names) for names in columns]

    def holds(line: str) -> bool:
        names = {cell if exact else cell.lower() for cell in cells_of(line)}
        return any(form <= names for form in forms)

    for number, comment in header.comments:
        if holds(comment.strip().lstrip(COMMENT)):
            return f"line {number} has the columns behind a {COMMENT}, which marks a comment: remove the {COMMENT}"
    for number, line in enumerate(islice(lines, MOST_LINES), header.number + 1):
        if holds(line):
            return f"the header is in line {number}: remove the lines before it, or begin each with {COMMENT}"
    return ""
