"""PerMA-Bench runs flattened into a table: `cfg_*`, `res_*` and `lat_*` columns, one run in each row.

A table of several machines has a column `file` or `hw` that identifies them; one of several set-ups has `dimms`.
"""

from __future__ import annotations

from pmtwin.calibrate.measurements import Measurements
from pmtwin.calibrate.readers.cleaning import Tally
from pmtwin.calibrate.readers.document import ReadOptions, number
from pmtwin.calibrate.readers.permabench_runs import Run, measurements
from pmtwin.calibrate.readers.registry import register
from pmtwin.sim.device.geometry import MOST_DIMMS
from pmtwin.sim.errors import ConflictError, InputError, unknown_name
from pmtwin.sim.files.csv_table import Table

MARKS: tuple[str, ...] = ("cfg_exec_mode", "cfg_memory_type", "cfg_number_threads", "cfg_access_size", "cfg_operation")
MARKS += ("cfg_persist_instruction", "res_bandwidth")
MACHINES = ("file", "hw")
BESIDE = ("bm", "idx")
"""Columns that the halves of a parallel run have in common."""


@register("permabench-table", MARKS)
def read(table: Table, options: ReadOptions) -> Measurements:
    """Usable rows of one machine.

    Raises:
        InputError: several machines and none named, no usable row, another unit, or two kinds of memory.
    """
    keep = _rows_of(table, options.machine)
    names = [name for name in table.header if name.startswith(("cfg_", "res_", "lat_"))]
    columns = {name: table.column(name) for name in names}
    dimms = table.column("dimms") if "dimms" in table.header else None
    parallel = table.column("bm_type") if "bm_type" in table.header else None
    beside = [table.column(name) for name in BESIDE] if set(BESIDE) <= set(table.header) else []
    tally, runs = Tally(table.where), []
    for row in keep:
        with tally.row():
            stated = number("dimms", dimms[row], table.place(row), low=1, high=MOST_DIMMS) if dimms else None
            run = Run(
                config=_part(columns, "cfg_", row),
                results=_part(columns, "res_", row),
                parallel=parallel is not None and parallel[row] == "parallel",
                where=table.place(row),
                latency=_part(columns, "lat_", row),
                beside=" ".join(cells[row] for cells in beside),
                dimms=stated,
            )
            runs.append(run)
    return measurements(runs, options, tally)


def _part(columns: dict[str, list[str]], prefix: str, row: int) -> dict[str, str]:
    """The cells of one row that are not empty, by the name without its prefix; "median" for `lat_median`."""
    return {
        name.removeprefix(prefix): cells[row]
        for name, cells in columns.items()
        if name.startswith(prefix) and cells[row]
    }


def _rows_of(table: Table, machine: str | None) -> list[int]:
    """Indices of the rows of one machine."""
    columns = {name: table.column(name) for name in MACHINES if name in table.header}
    names = {cell for cells in columns.values() for cell in cells}
    several = any(len(set(cells)) > 1 for cells in columns.values())
    if machine is None:
        if several:
            listed = ", ".join(dict.fromkeys(next(iter(columns.values()))))
            raise InputError("--machine", None, f"one of the file's machines, {listed}", table.where)
        return list(range(len(table.rows)))
    if not columns:
        reason = f"does not go with {table.where}, which has no column {' or '.join(MACHINES)}; remove it"
        raise ConflictError("machine", machine, reason)
    if machine not in names:
        raise unknown_name("machine", machine, names, table.where)
    return [row for row in range(len(table.rows)) if any(cells[row] == machine for cells in columns.values())]
