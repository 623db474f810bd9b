"""A point on the command line as a table of one row, the same that a file of points would hold."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pmtwin.sim.device.points import known_columns
from pmtwin.sim.device.table_file import Table
from pmtwin.sim.errors import InputError, unknown_name

COMMAND_LINE = "command line"

UNITS = {"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def size_bytes(field: str, text: str) -> str:
    """A size such as `4096`, `4KiB`, `4k` or `1 MiB` in bytes, as text.

    Raises:
        InputError: another form, or a fraction of a byte.
    """
    match = _SIZE.fullmatch(text)
    factor = UNITS.get(match.group(2).lower()) if match else None
    bytes_ = float(match.group(1)) * factor if match and factor else math.nan
    if not bytes_.is_integer():
        raise InputError(field, text, "bytes, or a number with KiB or MiB, such as 256, 4KiB, 1MiB")
    return str(int(bytes_))


def point_table(given: Mapping[str, str], also: Sequence[str], known: Sequence[str] | None = None) -> Table:
    """The table of one point.

    Args:
        given: column -> cell, of options with a name of their own.
        also: `COLUMN=VALUE` of any other column.
        known: columns that exist; None for those of accesses.

    Raises:
        InputError: another form, an unknown column, or a column that is given twice.
    """
    known = known_columns() if known is None else known
    cells = dict(given)
    for assignment in also:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise InputError("also", assignment, "COLUMN=VALUE, such as power_w=15")
        if name not in known:
            raise unknown_name("also", name, known)
        if name in cells:
            raise InputError("also", assignment, f"each column once; {name} is {cells[name]} already")
        cells[name] = value
    return Table(list(cells), [list(cells.values())], [1], COMMAND_LINE)
