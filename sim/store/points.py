"""The key-value points of `pmtwin predict`, read from a table and checked."""

from __future__ import annotations

from dataclasses import dataclass

from pmtwin.sim.device.cells import name_in, number_in, whole_in
from pmtwin.sim.device.effects.remote import SHARES, check_both
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MOST_DIMMS
from pmtwin.sim.device.points import MAX_THREADS
from pmtwin.sim.files.csv_table import Table
from pmtwin.sim.load.workload import MAX_VALUE_BYTES, OPERATIONS
from pmtwin.sim.parameters.table import PARAMETERS
from pmtwin.sim.store.counts import StorePoint

REQUIRED = ("operation", "threads", "value_bytes", "records")
OPTIONAL = ("key_bytes", "cores", "threads_per_core", "gets_per_update", "dimms", "numa")

MAX_RECORDS = 1e12
MAX_KEY_BYTES = 4096
_DEFAULTS = StorePoint("get", 1, 1.0, 1.0)


@dataclass(frozen=True)
class StorePoints:
    """Points for a prediction.

    Args:
        table: the table, unchanged.
        points: one for each row.
        dimms: interleaved modules of each row.
    """

    table: Table
    points: list[StorePoint]
    dimms: list[float]


def parse_store_points(table: Table, dimms: float) -> StorePoints:
    """The points of a table.

    Args:
        dimms: interleaved modules, for rows without a value.

    Raises:
        InputError: a column or a value is not accepted; names the file and the line.
    """
    table.refuse_unknown_columns((*REQUIRED, *OPTIONAL))
    table.require_columns(REQUIRED)
    rows = [dict(zip(table.header, (cell.strip() for cell in row), strict=True)) for row in table.rows]
    places = [table.place(index) for index in range(len(rows))]
    return StorePoints(
        table,
        [store_point(row, where) for row, where in zip(rows, places, strict=True)],
        [dimms_of(row, where, dimms) for row, where in zip(rows, places, strict=True)],
    )


def store_point(row: dict[str, str], where: str) -> StorePoint:
    """The point of a row, from the cells of `REQUIRED` and the present, non-empty cells of `OPTIONAL`.

    Raises:
        InputError: as `parse_store_points`.
    """
    hardware = {name: PARAMETERS[name] for name in ("cores", "threads_per_core")}
    point = StorePoint(
        operation=name_in("operation", row, OPERATIONS, where),
        threads=int(whole_in("threads", row, 1, MAX_THREADS, where)),
        value_bytes=number_in("value_bytes", row, 1, MAX_VALUE_BYTES, where),
        records=number_in("records", row, 1, MAX_RECORDS, where),
        key_bytes=_optional("key_bytes", row, 1, MAX_KEY_BYTES, where),
        gets_per_update=int(_optional("gets_per_update", row, 0, 1, where)),
        numa=name_in("numa", row, tuple(SHARES), where) if row.get("numa") else _DEFAULTS.numa,
        **{name: int(_optional(name, row, number.low, number.high, where)) for name, number in hardware.items()},
    )
    check_both(point.numa, point.threads, where)
    return point


def dimms_of(row: dict[str, str], where: str, usual: float = FULL_SET_DIMMS) -> float:
    """Interleaved modules of a row; `usual` if it has no value."""
    return whole_in("dimms", row, 1, MOST_DIMMS, where) if row.get("dimms") else float(usual)


def _optional(name: str, row: dict[str, str], low: float, high: float, where: str) -> float:
    return whole_in(name, row, low, high, where) if row.get(name) else getattr(_DEFAULTS, name)
