"""Rows that a file repeats, as it was appended to itself or to a file with the same rows: counted, not used twice."""

from __future__ import annotations

from itertools import pairwise

from pmtwin.sim.files.csv_table import Table


def without_copies(table: Table) -> tuple[Table, list[str]]:
    """The table without appended tables that repeat an earlier one, and file and line of each repeated row."""
    kept: list[int] = []
    known: list[list[list[str]]] = []
    copies: list[str] = []
    for begin, end in pairwise((0, *table.begins, len(table.rows))):
        rows = [[cell.strip() for cell in row] for row in table.rows[begin:end]]
        if rows in known:
            copies += [table.place(row) for row in range(begin, end)]
        else:
            kept += range(begin, end)
            known.append(rows)
    return (table.take(kept) if copies else table), copies
