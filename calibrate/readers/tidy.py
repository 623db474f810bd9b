"""A table of measurements in the columns of `pmtwin predict`, one configuration in each row.

The columns of a point (`pmtwin.sim.device.points`: operation, pattern, access_size_bytes, threads, ...) and
`bandwidth_mib_s` (MiB/s of all threads together), `latency_ns` (of one access from its start to its end), or both. A
latency is usable if one thread accesses an idle device; `read_latency_ns` beside the `bandwidth_mib_s` of loads is
latency under load. Other columns are left out, and named in a note.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from pmtwin.calibrate.context import DIMMS_ASSUMED, AccessColumns, Context, Latency, LoadedLatency, Mix, Varied
from pmtwin.calibrate.effects.registry import FITTINGS
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cells import bytes_of, mib_s_of, ns_of, split_number
from pmtwin.calibrate.readers.cleaning import Tally
from pmtwin.calibrate.readers.document import ReadOptions, number
from pmtwin.calibrate.readers.registry import register
from pmtwin.sim.device.effects import varied
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.device.points import DIMMS, MIXED, OF_SIDES, SIDES, known_columns, points_of
from pmtwin.sim.errors import InputError
from pmtwin.sim.files.csv_table import Table

MARKS = ("operation", "pattern", "access_size_bytes")
BANDWIDTH, LATENCY, READ_LATENCY = "bandwidth_mib_s", "latency_ns", "read_latency_ns"
MEASURED = (BANDWIDTH, LATENCY, READ_LATENCY)
PREDICTED = "bandwidth_low_mib_s"
NOTHING = "neither bandwidth nor latency in the row"
SEVERAL = "latency of several threads: not idle"
LIMITED = "bandwidth of a limited load: what was offered, not what the device can"
SEPARATE = "modules that are not interleaved: not covered by this law"


@register("predict-table", MARKS)
def read(table: Table, options: ReadOptions) -> Measurements:
    """Usable rows.

    Raises:
        InputError: no column of measurements, predictions instead of them, no row whose cells are accepted.
    """
    _check_columns(table)
    columns = _columns_of(table, [name for name in table.header if name in known_columns()])
    cells = {name: table.column(name) for name in MEASURED if name in table.header}
    contents: dict[str, list] = {kind: [] for kind in ("row", "latency", "loaded", "mix", "varied")}
    tally = Tally(table.where)
    for index in range(len(table.rows)):
        place = table.place(index)
        with tally.row():
            point = _point(columns.take([index]), float(options.dimms or FULL_SET_DIMMS))
            measured = {name: _measured(name, values[index], place) for name, values in cells.items() if values[index]}
            point_rows, reasons = _row(point, measured, place)
            for kind, value in point_rows:
                contents[kind].append(value)
            tally.drop("" if point_rows else (*reasons, NOTHING)[0], place=place)
    context = Context(
        media=options.media,
        latencies=tuple(contents["latency"]),
        loaded=tuple(contents["loaded"]),
        mixes=tuple(contents["mix"]),
        varied=tuple(contents["varied"]),
        notes=_notes(table, options),
    )
    return from_rows(contents["row"], tally.dropped(sum(map(len, contents.values()))), context)


def _point(row: Table, dimms: float) -> dict:
    """The point of one row, by column; `InputError` names a cell that is not accepted."""
    (cells,) = row.rows
    plain = [_plain(name, cell) for name, cell in zip(row.header, cells, strict=True)]
    points = points_of(Table(row.header, [plain], row.lines, row.where), dimms)
    return {name: values[0] for name, values in points.columns.items()}


def _plain(name: str, cell: str) -> str:
    """The cell; a size with a unit in bytes, without the unit."""
    split = split_number(cell) if name.endswith("_bytes") else None
    factor = bytes_of(split[1]) if split and split[1] else None
    return f"{split[0] * factor:.12g}" if split and factor else cell


def _measured(name: str, cell: str, place: str) -> float:
    """A measured value in the unit of its column; the cell may have another unit behind the number."""
    split = split_number(cell)
    if not split or not split[1]:
        return split[0] if split else number(name, cell, place)
    factor = (mib_s_of if name == BANDWIDTH else ns_of)(split[1])
    if factor is None:
        raise InputError(name, cell, "a number, or one with its unit (GiB/s, GB/s, us)", place)
    return split[0] * factor


def _check_columns(table: Table) -> None:
    where = f"{table.where}:1"
    if PREDICTED in table.header:
        allowed = "measurements: a table that pmtwin predict printed has predictions, not measurements"
        raise InputError("columns", PREDICTED, allowed, where)
    other = next((name for name in table.header if _is_in_another_unit(name, table)), None)
    if other or not set(MEASURED) & set(table.header):
        wrong = "is in a unit that is not read" if other else "hold no measurement"
        allowed = f"{BANDWIDTH} (MiB/s of all threads together), {LATENCY} (ns), or both; convert and rename the column"
        raise InputError("column" if other else "columns", other or ", ".join(table.header), allowed, where, wrong)
    known = {_letters(name): name for name in (*known_columns(), *MEASURED)}
    for name in table.header:
        if table.header.count(name) > 1:
            raise InputError("column", name, "each column once", where, wrong="is there twice")
        near = known.get(_letters(name), name)
        if near != name:  # without the column, its rows would be taken for other points
            raise InputError("column", name, f"{near}; rename the column", where)


def _is_in_another_unit(name: str, table: Table) -> bool:
    """Whether a column has the bandwidths, or the only measurements, of a table by a name that is not read."""
    if not set(MEASURED) & set(table.header):
        return name.startswith(("bandwidth", "throughput", "latency"))
    is_bandwidth = name.startswith(("bandwidth", "throughput")) and name not in MEASURED
    return is_bandwidth and BANDWIDTH not in table.header and any(table.column(name))


def _letters(name: str) -> str:
    """A column's name in lower case without underscores and other marks, which people write in more than one way."""
    return re.sub(r"[\W_]", "", name).lower()


def _columns_of(table: Table, names: list[str]) -> Table:
    indices = [table.header.index(name) for name in names]
    return Table(names, [[row[index] for index in indices] for row in table.rows], table.lines, table.where)


def _notes(table: Table, options: ReadOptions) -> tuple[str, ...]:
    stated = DIMMS in table.header and all(table.column(DIMMS))
    unused = [
        name or "one without a name" for name in table.header if name not in known_columns() and name not in MEASURED
    ]
    notes = () if stated or options.dimms else (DIMMS_ASSUMED,)
    return (*notes, f"columns that were not used: {', '.join(unused)}") if unused else notes


def _row(point: dict, measured: dict[str, float], place: str) -> tuple[list[tuple[str, object]], list[str]]:
    """Content of one row as (kind, value), and why others of its numbers are not usable."""
    rows: list[tuple[str, object]] = []
    reasons: list[str] = []
    if not measured:
        return rows, reasons
    if not point["interleaved"] and point["dimms"] > 1:
        return rows, [SEPARATE]
    for kind, value, reason in (*_bandwidth(point, measured, place), *_latency(point, measured, place)):
        if reason:
            reasons.append(reason)
        else:
            rows.append((kind, value))
    return rows, reasons


def _effects(point: dict, operation: str) -> dict[str, float]:
    """Value of each effect of a point on an operation (of a mix: on one of its sides), by the effect's name."""
    present = {}
    for effect in varied():
        value = point[effect.column.key]
        changed = not effect.operations or operation in (MIXED, *effect.operations)
        if changed and value != effect.column.absent:
            present[effect.name] = float(value)
    return present


def _fault(effects: dict[str, float], operation: str, pattern: str) -> str:
    """Why no effect's form covers an access with these effects, alone or together; "" if one does."""
    faults = (FITTINGS[name].fault(value, operation, pattern, True) for name, value in effects.items())
    if fault := next(filter(None, faults), ""):
        return fault
    if effects and operation == MIXED:
        return f"{' and '.join(effects)} of a mix: not covered by this law"
    return f"{' and '.join(effects)} at once: each effect is known by itself" if len(effects) > 1 else ""


def _bandwidth(point: dict, measured: dict[str, float], place: str) -> list[tuple[str, object, str]]:
    if BANDWIDTH not in measured:
        return []
    if np.isfinite(point["offered_mib_s"]):
        return [] if READ_LATENCY in measured else [("row", None, LIMITED)]
    bandwidth, point = measured[BANDWIDTH], _single_side_point(point)
    columns: AccessColumns = {
        "pattern": str(point["pattern"]),
        "access_size_bytes": float(point["access_size_bytes"]),
        "threads": float(point["threads"]),
        "dimms": float(point["dimms"]),
        "bandwidth_mib_s": bandwidth,
    }
    operation, share = str(point["operation"]), float(point["write_threads"] / point["threads"])
    if operation == MIXED and share in (0.0, 1.0):
        operation = "load" if share == 0.0 else str(point["write_operation"])
    effects = _effects(point, operation)
    if fault := _fault(effects, operation, columns["pattern"]):
        return [("varied", None, fault)]
    if operation == MIXED:
        mix = Mix(
            write_operation=str(point["write_operation"]),
            write_ratio=share,
            by_access=False,
            place=place,
            **columns,
        )
        return [("mix", _with_sides(mix, point), "")]
    for name, value in effects.items():
        return [("varied", Varied(operation=operation, **columns, effect=name, value=value, place=place), "")]
    row = {"operation": operation, **columns, "power_w": float(point["power_w"]), "place": place}
    return [("row", row, "")]


def _latency(point: dict, measured: dict[str, float], place: str) -> list[tuple[str, object, str]]:
    if READ_LATENCY in measured and BANDWIDTH in measured and str(point["operation"]) == "load":
        return [("loaded", LoadedLatency(measured[READ_LATENCY], measured[BANDWIDTH], place), "")]
    if LATENCY not in measured:
        return []
    if point["threads"] != 1 or str(point["operation"]) == MIXED:
        return [("latency", None, SEVERAL)]
    if effects := _effects(point, str(point["operation"])):
        return [("latency", None, f"latency with an effect ({', '.join(effects)}): not of a plain access")]
    at = str(point["operation"]), str(point["pattern"]), float(point["access_size_bytes"])
    return [("latency", Latency(*at, measured[LATENCY], place=place), "")]


def _single_side_point(point: dict) -> dict:
    """The point; that of a mix with readers alone, or writers alone, has the columns of that side."""
    threads = {side: float(point[f"{side}_threads"]) for side in SIDES}
    alone = [side for side in SIDES if threads[side] > 0.0 and sum(threads.values()) == threads[side]]
    return point | _side_point(point, alone[0]) if alone else point


def _with_sides(mix: Mix, point: dict) -> Mix:
    """The mix with access size and pattern of its reads, and with those of its writes where they differ."""
    reads, writes = (_side_point(point, side) for side in SIDES)
    size, write_size = float(reads["access_size_bytes"]), float(writes["access_size_bytes"])
    mix = replace(mix, access_size_bytes=size, pattern=reads["pattern"])
    if (size, reads["pattern"]) == (write_size, writes["pattern"]):
        return mix
    return replace(mix, write_access_size_bytes=write_size, write_pattern=writes["pattern"])


def _side_point(point: dict, side: str) -> dict:
    return {name: point.get(f"{side}_{name}") or point[name] for name in OF_SIDES}
