"""Published traces as comma-separated values whose columns have other names, other units, or no header.

MSR Cambridge (Narayanan and others, FAST 2008), SYSTOR'17 (Lee and others), Alibaba (Li and others, IISWC 2020) and
Tencent (Zhang and others, ATC 2020); columns and units as their descriptions at SNIA and on GitHub state them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pmtwin.sim.files.header import Header
from pmtwin.sim.files.input_text import cells_of

SECTOR = 512


class Dialect(NamedTuple):
    """Names and units of a trace's columns.

    Fields:
        name: of the traces.
        columns: their names here, from the left; `_` for a column that is not used.
        ticks_per_us: the unit of time is a microsecond divided by it.
        bytes: unit of offsets and sizes.
        writes: names of a write, in upper case, beside those of `csv_format.WRITES`.
        line: what the first line looks like; None: it is a header, that of the `header`.
        header: names of the columns in the file, in lower case.
    """

    name: str
    columns: str
    ticks_per_us: float = 1.0
    bytes: int = 1
    writes: tuple[str, ...] = ()
    line: re.Pattern | None = None
    header: tuple[str, ...] = ()


DIALECTS = (
    Dialect(
        "MSR Cambridge", "time_us,hostname,disknumber,op,offset,size,_", ticks_per_us=10.0,
        line=re.compile(r"\d{15,20},[^,]*,[^,]*,(read|write),[^,]*,[^,]*,[^,]*", re.IGNORECASE),
    ),
    Dialect(
        "SYSTOR'17", "time_us,_,op,lun,offset,size", ticks_per_us=1e-6,
        header=("timestamp", "response", "iotype", "lun", "offset", "size"),
    ),
    Dialect(
        "Alibaba", "device_id,op,offset,size,time_us", line=re.compile(r"\d+,[RW],[^,]*,[^,]*,\d+", re.IGNORECASE),
    ),
    Dialect(
        "Tencent", "time_us,offset,size,op,volume_id", ticks_per_us=1e-6, bytes=SECTOR, writes=("1",),
        line=re.compile(r"\d{9,11},[^,]*,[^,]*,[01],\d+"),
    ),
)  # fmt: skip
PLAIN = Dialect("", "")
NAMES = ", ".join(dialect.name for dialect in DIALECTS)


def dialect_of(header: Header) -> Dialect:
    """The dialect that the first line shows, or `PLAIN`."""
    cells = [cell.lower() for cell in cells_of(header.line)]
    for dialect in DIALECTS:
        if dialect.line.fullmatch(",".join(cells)) if dialect.line else tuple(cells) == dialect.header:
            return dialect
    return PLAIN
