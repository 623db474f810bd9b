"""Measured mixes and latencies under load, from tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pmtwin.calibrate.effect_files import DRAM, FIGURE_6, PERMA_MIXES, PERMA_NODES, PERMA_WRITES
from pmtwin.calibrate.effects.rows import GIB_IN_MIB, cell_number, records
from pmtwin.sim.device.geometry import FULL_SET_DIMMS, MIB
from pmtwin.sim.files.csv_table import Table

DECIMAL_MB_IN_MIB = 1e6 / MIB
FIGURE_6_SIZE_BYTES = 64.0
FIGURE_6_THREADS = 16.0
"""Threads in the figure; in its second half one of them measures the latency, the others make the load."""


@dataclass(frozen=True)
class MixRow:
    """A mix of reads and writes, with the pure bandwidths of as many threads of the same benchmark; all in MiB/s.

    Args:
        node: "local" or "remote".
        write_share: share of the threads that write; of PerMA-Bench, whose threads read and write in turns, of the
            accesses.
        read, write: bandwidth of each side; NaN if only the total was stated.
        pure_read, pure_write: bandwidth if all threads read, or write.
        latency_ns: mean over the accesses of a thread, as stated by the benchmark, or NaN.
    """

    node: str
    write_operation: str
    access_size_bytes: float
    threads: float
    write_share: float
    read: float
    write: float
    total: float
    pure_read: float
    pure_write: float
    latency_ns: float = np.nan
    pattern: str = "random"
    dimms: float = float(FULL_SET_DIMMS)


@dataclass(frozen=True)
class LoadRow:
    """Latency in ns of one thread's dependent sequential reads while others write `bandwidth_mib_s`, sequentially."""

    latency_ns: float
    bandwidth_mib_s: float


def mix_rows(tables: Iterable[Table], media: str) -> list[MixRow]:
    """Mixes of PerMA-Bench and (for DRAM none) of FAST'20, figure 6, with the pure bandwidths of the same file."""
    rows: list[MixRow] = []
    for table in tables:
        if set(table.header) >= PERMA_MIXES:
            rows += _perma_mixes(table)
        elif set(table.header) >= FIGURE_6 and media != DRAM:
            rows += _figure_6(table)
    return rows


def load_rows(tables: Iterable[Table], media: str) -> list[LoadRow]:
    """Latencies under load of FAST'20, figure 6: of Optane for `media` "pmem", of DRAM for "dram", else none.

    Each kind of memory has two columns of the same name: latency in ns, and bandwidth in units of 1024 MB/s.
    """
    name = {"pmem": "Optane", "dram": "DRAM"}.get(media)
    rows: list[LoadRow] = []
    for table in tables:
        if table.header[:3] != ["", "DRAM", "DRAM"] or name is None or table.header.count(name) != 2:
            continue
        first = table.header.index(name)
        for index, row in enumerate(table.rows):
            latency, speed = (cell_number(cell, name, table.place(index)) for cell in row[first : first + 2])
            rows.append(LoadRow(latency, speed * 1024.0 * DECIMAL_MB_IN_MIB))
    return rows


def _perma_mixes(table: Table) -> list[MixRow]:
    """Mixes with the pure bandwidths of the same node; runs that are not pinned to a node are left out."""
    runs: dict[tuple, dict[float, dict]] = defaultdict(dict)
    for index, row in enumerate(records(table)):
        place = table.place(index)
        sides = {
            side: GIB_IN_MIB * cell_number(row[f"{side}_bandwidth_gib_s"] or "0", side, place)
            for side in ("read", "write")
        }
        stated = row.get("latency_avg_ns")
        latency = cell_number(stated, "latency_avg_ns", place) if stated else np.nan
        size, threads = (cell_number(row[name], name, place) for name in ("access_size_bytes", "threads"))
        mix = {"operation": PERMA_WRITES.get(row["persist_instruction"]), "latency_ns": latency, **sides}
        key = row["numa"], row.get("exec_mode", "random"), size, threads
        runs[key][cell_number(row["write_ratio"], "write_ratio", place)] = mix
    rows = []
    for (node, pattern, size, threads), by_share in runs.items():
        if node not in PERMA_NODES or not {0.0, 1.0} <= set(by_share):
            continue
        pure = by_share[0.0]["read"], by_share[1.0]["write"]
        operation = by_share[1.0]["operation"]
        for share, run in sorted(by_share.items()):
            read, write = run["read"], run["write"]
            rows.append(
                MixRow(
                    *(
                        PERMA_NODES[node],
                        operation,
                        size,
                        threads,
                        share,
                        read,
                        write,
                        read + write,
                        *pure,
                        run["latency_ns"],
                    ),
                    pattern=pattern,
                )
            )
    return [row for row in rows if row.write_operation]


def _figure_6(table: Table) -> list[MixRow]:
    """Mixes of 16 threads, in decimal MB/s; the two ends are the pure bandwidths."""
    runs = {}
    for index, row in enumerate(records(table)):
        place = table.place(index)
        readers, writers = (cell_number(part, "Read-Write", place) for part in row["Read-Write"].split("-"))
        total = cell_number(row["PM-Optane"], "PM-Optane", place) * DECIMAL_MB_IN_MIB
        runs[writers / (readers + writers)] = readers + writers, total
    if 0.0 not in runs or 1.0 not in runs:
        return []
    ends = runs[0.0][1], runs[1.0][1]
    return [
        MixRow("local", "ntstore", FIGURE_6_SIZE_BYTES, threads, share, np.nan, np.nan, total, *ends)
        for share, (threads, total) in sorted(runs.items())
    ]
