"""Lines of MLC's text, freed from what terminals, logs, mails, forums and spreadsheets add."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from pmtwin.calibrate.readers.cells import NUMBER, mib_s_of, ns_of, plain_number, split_number

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_TIME = re.compile(r"^(?:\[ *\d[\d.:TZ -]*\]|(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\S*)[ \t]")
"""Time stamp before a line of a log: seconds or a date in brackets, or a date and time."""

_OF_A_CLOCK = re.compile(r"(?<![\w.-])\d+")
"""Digits of a time or a process number in a log's prefix, which differ from line to line; those of a name do not."""

_QUOTED = re.compile(r"^\s*(?:[>|]\s?)+")
_BULLET = re.compile(r"^\s*(?:[*+\N{BULLET}]|-(?=\s+\S*[A-Za-z\d]))\s+")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MARKS = re.compile(r"""["`*|;\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{NO-BREAK SPACE}]""")

DASHES = ("-", "\N{EN DASH}", "\N{EM DASH}", "N/A", "n/a")
_SEPARATOR = re.compile(r"\s+|,(?=\s|$)")
_COLUMNS = re.compile(r"[\d.]+(?:,[\d.]+){2,}")
_DECIMAL = re.compile(rf"(?<![\w.,]){NUMBER}(?![\w.,]*\d)")


@dataclass(frozen=True)
class Cell:
    """A value of a row: its number, None for a dash (not measured), and the unit behind it ("" without one)."""

    number: float | None
    unit: str = ""
    text: str = ""


def without_prefix(lines: list[str], title: re.Pattern) -> list[str]:
    """The lines without the prefix that a log puts before each, such as host and program: the text before the title."""
    heading = next(filter(None, map(title.search, lines)), None)
    prefix = heading.string[: heading.start()].rstrip() if heading else ""
    if not re.search(r"\w", prefix):
        return lines
    same = re.compile(_OF_A_CLOCK.sub(lambda _: r"\d+", re.escape(prefix)) + " ?")
    return [same.sub("", line, count=1) if same.match(line) else line for line in lines]


def plain_line(line: str) -> str:
    """The line as MLC printed it; quotes, bars and other marks become blanks."""
    line = html.unescape(_TIME.sub("", _COLOUR.sub("", line)))
    line = _QUOTED.sub("", _TAG.sub(" ", line))
    return _MARKS.sub(" ", _BULLET.sub("", line)).rstrip()


def cells_of(text: str) -> list[Cell]:
    """The values at the beginning of a line, up to the first other word (a comment)."""
    text = text.strip()
    parts = text.split(",") if _COLUMNS.fullmatch(text) else [part for part in _SEPARATOR.split(text) if part]
    cells: list[Cell] = []
    for part in parts:
        if part in DASHES:
            cells.append(Cell(None, "", part))
        elif (split := split_number(part)) and (not split[1] or _is_unit(split[1])):
            cells.append(Cell(*split, part))
        elif cells and cells[-1].number is not None and not cells[-1].unit and _is_unit(part):
            cells[-1] = Cell(cells[-1].number, part, cells[-1].text)
        else:
            break
    return cells


def _is_unit(word: str) -> bool:
    return ns_of(word) is not None or mib_s_of(word) is not None


def values_in(line: str) -> list[float]:
    """All numbers with a decimal point or comma, anywhere in a line."""
    return [plain_number(text) for text in _DECIMAL.findall(line) if re.search(r"[.,]", text)]
