"""A point on the command line as a table of one row, as a file of points would hold it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from pmtwin.sim.device import law
from pmtwin.sim.device.points import MIXED, known_columns
from pmtwin.sim.errors import ConflictError, InputError, unknown_name
from pmtwin.sim.files.csv_table import Table
from pmtwin.sim.load.workload import OPERATIONS

COMMAND_LINE = "command line"

SIZED = {"operation": "load", "pattern": "random", "access_size_bytes": "4KiB", "threads": "8"}
SIDED = {"operation": "mixed", "pattern": "random", "access_size_bytes": "4KiB"}
SIDED |= {"read_threads": "4", "write_threads": "2", "write_operation": "ntstore"}
STORED = {"operation": "get", "threads": "8", "value_bytes": "100", "records": "1e6"}
"""Examples of complete points, one for each kind: required column -> example value."""

OPTIONS = {"operation": "operation", "pattern": "pattern", "access_size_bytes": "size", "threads": "threads"}
"""Column -> option; other columns are given with `--also`."""

KINDS = (
    f"{law.OPERATIONS[0]} (a read), {', '.join(law.OPERATIONS[1:])} (writes), {MIXED}; of a key-value store "
    f"{', '.join(OPERATIONS)}"
)

UNITS = {"": 1, "b": 1, "k": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mib": 1 << 20}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")


def size_bytes(field: str, text: str) -> str:
    """Number of bytes, as text, of a size such as `4096`, `4KiB`, `4k` or `1 MiB`.

    Raises:
        InputError: for another form, or a fraction of a byte.
    """
    match = _SIZE.fullmatch(text)
    factor = UNITS.get(match.group(2).lower()) if match else None
    bytes_ = float(match.group(1)) * factor if match and factor else math.nan
    if not bytes_.is_integer():
        raise InputError(field, text, "bytes, or a number with KiB or MiB, such as 256, 4KiB, 1MiB")
    return str(int(bytes_))


def check_point(given: Mapping[str, str], also: Sequence[str]) -> None:
    """Raise `InputError` for an unknown operation, or an incomplete point; the error shows a complete one.

    Args:
        given, also: as in `point_table`.
    """
    operation = given.get("operation")
    if operation is not None and operation not in (*law.OPERATIONS, MIXED, *OPERATIONS):
        allowed = f"{KINDS}; such as {_written(SIZED, {})}"
        raise unknown_name("operation", operation, (*law.OPERATIONS, MIXED, *OPERATIONS), shown=[allowed])
    usual = STORED if operation in OPERATIONS else SIDED if operation == MIXED else SIZED
    cells = {**given, **dict(word.split("=", 1) for word in also if "=" in word)}
    stray = next((name for name in ("access_size_bytes", "pattern") if usual is STORED and name in cells), None)
    if stray:
        reason = f"does not go with --operation {operation}, such as {_written(STORED, cells)}; remove it"
        raise ConflictError(OPTIONS[stray], cells[stray], reason)
    lacking = [OPTIONS.get(name, f"--also {name}") for name in usual if name not in cells]
    if lacking:
        names = lacking if len(lacking) == 1 else [f"--{name.removeprefix('--')}" for name in lacking]
        raise InputError(", ".join(names), None, f"a whole point is {_written(usual, cells)}")


def _written(usual: Mapping[str, str], cells: Mapping[str, str]) -> str:
    """A complete point as options: the given cells, and example values for the other columns."""
    values = {name: cells.get(name, value) for name, value in usual.items()}
    named = [f"--{OPTIONS[name]} {value}" for name, value in values.items() if name in OPTIONS]
    others = [f"{name}={value}" for name, value in values.items() if name not in OPTIONS]
    return " ".join([*named, *(["--also", *others] if others else [])])


def point_table(given: Mapping[str, str], also: Sequence[str], known: Sequence[str] | None = None) -> Table:
    """Table of one point.

    Args:
        given: column -> cell, from the options for single columns.
        also: `COLUMN=VALUE` of other columns.
        known: allowed columns; None: those of accesses.

    Raises:
        InputError: for another form, an unknown column, or a column that is given twice.
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
