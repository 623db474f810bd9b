"""Numbers as people, programs and spreadsheets write them: thousands separators, decimal commas, units behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pmtwin.sim.device.geometry import MIB
from pmtwin.sim.files.csv_table import Table

_THOUSANDS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)|\d{1,3}(?:\.\d{3}){2,}"
_MARK = "['\N{RIGHT SINGLE QUOTATION MARK}\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}\N{THIN SPACE}]"
"""Separators of thousands beside commas and dots: of Switzerland, France and others."""

_SPACED = rf"\d{{1,3}}(?:{_MARK}\d{{3}})+(?:[.,]\d+)?"
NUMBER = rf"(?:{_THOUSANDS}|{_SPACED}|\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?)"
_AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+,(?:\d{1,2}|\d{4,})|(?:0|\d{4,}),\d+|\d{1,3}(?:\.\d{3})+,\d+")
"""Numbers whose comma can only be that of decimals."""

_MARKED = re.compile(rf",|\..*\.|{_MARK}")
_WHOLE = re.compile(rf"\s*({NUMBER})\s*([^\W\d_]\S*)?\s*")

MIB_S = {"b": 1.0 / MIB}
MIB_S |= {prefix: 1000.0**power / MIB for power, prefix in enumerate(("kb", "mb", "gb", "tb"), start=1)}
MIB_S |= {prefix: 1024.0**power / MIB for power, prefix in enumerate(("kib", "mib", "gib", "tib"), start=1)}
"""MiB/s in one unit of bandwidth, by the unit without "/s"."""

NS = {"ns": 1.0, "us": 1e3, "\N{MICRO SIGN}s": 1e3, "\N{GREEK SMALL LETTER MU}s": 1e3, "ms": 1e6, "s": 1e9}
"""ns in one unit of time."""

SIZES = {"b": 1, "k": 1 << 10, "kib": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mib": 1 << 20, "mb": 1 << 20}
SIZES |= {"g": 1 << 30, "gib": 1 << 30, "gb": 1 << 30}
"""Bytes in one unit of a size; buffers and accesses are powers of two, whatever the prefix."""

_PER_SECOND = re.compile(r"(?:/s(?:ec(?:ond)?)?|ps)$", re.IGNORECASE)


def split_number(text: str) -> tuple[float, str] | None:
    """The number of a cell and the unit behind it ("" without one); None for a cell of another form."""
    match = _WHOLE.fullmatch(text)
    return (plain_number(match.group(1)), match.group(2) or "") if match else None


def plain_number(text: str) -> float:
    """The value of text that `NUMBER` matches.

    A single comma or dot before exactly three digits is ambiguous: a comma then separates thousands, a dot decimals.
    """
    text = re.sub(_MARK, "", text)
    comma, dot = text.rfind(","), text.rfind(".")
    if comma >= 0 and (dot > comma or text.count(",") > 1 or re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", text)):
        text = text.replace(",", "")
    elif comma >= 0 or text.count(".") > 1:
        text = text.replace(".", "")
    return float(text.replace(",", "."))


def with_plain_numbers(table: Table) -> Table:
    """The table with its numbers as a program writes them, column by column."""
    columns = [plain_column(cells) for cells in zip(*table.rows, strict=True)]
    return replace(table, rows=[list(row) for row in zip(*columns, strict=True)])


def plain_column(cells: Sequence[str]) -> list[str]:
    """The cells of a column with its numbers as a program writes them; other cells, and units, as they are.

    Where another cell has a decimal comma, an ambiguous comma is one too, and an ambiguous dot separates thousands.
    """
    if not any(map(_MARKED.search, cells)):
        return list(cells)
    matches = [_WHOLE.fullmatch(cell) for cell in cells]
    commas = any(match and _DECIMAL_COMMA.fullmatch(match.group(1)) for match in matches)
    return [_plain_cell(match, commas) if match else cell for match, cell in zip(matches, cells, strict=True)]


def _plain_cell(match: re.Match, commas: bool) -> str:
    text, unit = match.group(1), match.group(2) or ""
    if commas and _AMBIGUOUS.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    return f"{plain_number(text)!r}{unit}" if _MARKED.search(text) else f"{text}{unit}"


def mib_s_of(unit: str) -> float | None:
    """MiB/s in one unit of bandwidth such as `GB/sec`; None for another unit."""
    return MIB_S.get(_PER_SECOND.sub("", unit).lower()) if _PER_SECOND.search(unit) else None


def ns_of(unit: str) -> float | None:
    """ns in one unit of time; None for another unit."""
    return NS.get(unit.lower())


def bytes_of(unit: str) -> int | None:
    """Bytes in one unit of size; None for another unit."""
    return SIZES.get(unit.lower())
