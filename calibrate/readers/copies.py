"""What a file holds twice, since it was appended to itself or to one that holds it: counted, not measured twice."""

from __future__ import annotations

from itertools import pairwise

from pmtwin.sim.files.csv_table import Table


def without_copies(table: Table) -> tuple[Table, list[str]]:
    """The table without those appended to it that have the rows of one before, and the places of their rows."""
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
