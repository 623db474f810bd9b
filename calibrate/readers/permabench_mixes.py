"""PerMA-Bench runs of reads and writes at once, as a table: bandwidth of both directions against the write ratio.

Rows with a `write_ratio` of 0 or 1 are pure accesses. In between, the ratio is taken as the share of the threads that
write, and the sum of both bandwidths as their total. That is an approximation: the benchmark's threads read and write
in turns (`pmtwin.calibrate.effects.shared_rows`).
"""

from __future__ import annotations

from pmtwin.calibrate.context import DIMMS_ASSUMED, Context, Mix
from pmtwin.calibrate.effect_files import PERMA_NODES
from pmtwin.calibrate.measurements import Measurements, from_rows
from pmtwin.calibrate.readers.cleaning import FENCED, REMOTE_NODE, Tally
from pmtwin.calibrate.readers.document import LARGEST_SIZE_BYTES, MOST_THREADS, ReadOptions, number, whole
from pmtwin.calibrate.readers.permabench_runs import GIB_IN_MIB, INVALIDATES, PATTERNS, WRITES
from pmtwin.calibrate.readers.registry import register
from pmtwin.sim.device.geometry import FULL_SET_DIMMS
from pmtwin.sim.errors import unknown_name
from pmtwin.sim.files.csv_table import Table

MARKS: tuple[str, ...] = ("numa", "exec_mode", "access_size_bytes", "threads", "write_ratio", "persist_instruction")
MARKS += ("read_bandwidth_gib_s", "write_bandwidth_gib_s")
NODES = (*PERMA_NODES, "none")


@register("permabench-mixes", MARKS)
def read(table: Table, options: ReadOptions) -> Measurements:
    """Pure rows as measurements, mixed ones as mixes, of the local NUMA node.

    Raises:
        InputError: no usable row.
    """
    columns = {name: table.column(name) for name in MARKS}
    dimms = float(options.dimms or FULL_SET_DIMMS)
    rows: list[dict] = []
    mixes: list[Mix] = []
    tally = Tally(table.where)
    for index in range(len(table.rows)):
        with tally.row():
            cells, where = {name: cells[index] for name, cells in columns.items()}, table.place(index)
            row, ratio = _row(cells, dimms, where), number("write_ratio", cells["write_ratio"], where, 0.0, 1.0)
            reason = _fault(cells, where)
            tally.drop(reason)
            if not reason and 0.0 < ratio < 1.0:
                mixes.append(_mix(row, ratio))
            elif not reason:
                rows.append(row)
    notes = (FENCED,) if options.dimms else (FENCED, DIMMS_ASSUMED)
    context = Context("pmem", mixes=tuple(mixes), other_rows=len(mixes), notes=notes, fenced=True)
    return from_rows(rows, tally.dropped(len(rows) + len(mixes)), context)


def _row(cells: dict[str, str], dimms: float, where: str) -> dict:
    if cells["exec_mode"] not in PATTERNS:
        raise unknown_name("exec_mode", cells["exec_mode"], PATTERNS, where)
    instruction = cells["persist_instruction"]
    if instruction and instruction not in (*WRITES, INVALIDATES):
        raise unknown_name("persist_instruction", instruction, (*WRITES, INVALIDATES), where)
    sides = [cells[name] for name in ("read_bandwidth_gib_s", "write_bandwidth_gib_s")]
    total = sum(number("bandwidth_gib_s", side, where) for side in sides if side)
    return {
        "operation": WRITES.get(instruction, "load"),
        "pattern": cells["exec_mode"],
        "dimms": dimms,
        "threads": whole("threads", cells["threads"], where, MOST_THREADS, number),
        "access_size_bytes": whole("access_size_bytes", cells["access_size_bytes"], where, LARGEST_SIZE_BYTES, number),
        "bandwidth_mib_s": GIB_IN_MIB * total,
    }


def _fault(cells: dict[str, str], where: str) -> str:
    if cells["numa"] not in NODES:
        raise unknown_name("numa", cells["numa"], NODES, where)
    node = PERMA_NODES.get(cells["numa"])
    if node != "local":
        return REMOTE_NODE if node else "threads not pinned to a NUMA node"
    return "clflushopt: not covered by this law" if cells["persist_instruction"] == INVALIDATES else ""


def _mix(row: dict, ratio: float) -> Mix:
    return Mix(
        write_operation=row["operation"],
        pattern=row["pattern"],
        access_size_bytes=row["access_size_bytes"],
        threads=row["threads"],
        dimms=row["dimms"],
        write_ratio=ratio,
        by_access=False,
        bandwidth_mib_s=row["bandwidth_mib_s"],
    )
