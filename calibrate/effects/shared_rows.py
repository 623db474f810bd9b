"""PerMA-Bench's accesses of a memory from its own node, from the other node, and from both at once.

The two bandwidths of its table follow from the latency of reads and of writes, as if no thread did anything else: in a
mix they are more than was moved. The number of accesses follows from the mean latency of all accesses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pmtwin.calibrate.effect_files import PERMA_MIXES, PERMA_NODES, PERMA_WRITES
from pmtwin.calibrate.effects.rows import cell_number, records
from pmtwin.sim.device.effects.remote import BOTH, SHARES
from pmtwin.sim.files.csv_table import Table

REMOTE_SHARES = {name: SHARES[node] for name, node in PERMA_NODES.items()} | {"none": SHARES[BOTH]}
"""Share of the threads on the remote node, by PerMA-Bench's name: unpinned threads (`none`) spread over both."""

LATENCY = "latency_avg_ns"


@dataclass(frozen=True)
class SharedRow:
    """Accesses of threads that each read and write in turns.

    Args:
        operation: of the writes; "" without writes.
        remote_share: share of the threads on the remote node.
        write_share: share of the accesses that write.
        accesses_per_us: of all threads.
    """

    operation: str
    access_size_bytes: float
    threads: float
    remote_share: float
    write_share: float
    accesses_per_us: float


def shared_rows(tables: Iterable[Table]) -> list[SharedRow]:
    """The rows of random accesses with one size, number of threads and kind of write, threads on both nodes among them.

    The first such set of rows; [] without one.

    Raises:
        InputError: a cell that is no number.
    """
    kinds: dict[tuple, list[SharedRow]] = defaultdict(list)
    for table in tables:
        if not set(table.header) >= PERMA_MIXES | {LATENCY}:
            continue
        for index, row in enumerate(records(table)):
            if row["numa"] not in REMOTE_SHARES or row.get("exec_mode", "random") != "random":
                continue
            size, threads, share, latency = (
                cell_number(row[name], name, table.place(index))
                for name in ("access_size_bytes", "threads", "write_ratio", LATENCY)
            )
            operation = PERMA_WRITES.get(row["persist_instruction"], "") if share else ""
            if latency > 0.0 and (operation or not share):
                place = REMOTE_SHARES[row["numa"]]
                kinds[size, threads].append(SharedRow(operation, size, threads, place, share, threads / latency * 1e3))
    return next((rows for rows in kinds.values() if _complete(rows)), [])


def write_operation_of(rows: Iterable[SharedRow]) -> str:
    """The operation of the writes; "" without writes."""
    return next((row.operation for row in rows if row.operation), "")


def _complete(rows: Sequence[SharedRow]) -> bool:
    """Whether threads on both nodes are among the rows, and there is one kind of write."""
    both = any(row.remote_share == REMOTE_SHARES["none"] for row in rows)
    return both and len({row.operation for row in rows if row.operation}) == 1
