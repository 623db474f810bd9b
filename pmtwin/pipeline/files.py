"""Files of figures: SVG and PNG of each drawing, CSV of each table, and the statements as JSON."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from pmtwin.figures.drawing.rendered import Statement, Table
from pmtwin.figures.drawing.style import png_bytes, styled, svg_bytes
from pmtwin.figures.registry import Entry
from pmtwin.sim.files.writing import make_folder, write_atomically, write_json


class Shown(NamedTuple):
    """A drawing for the report."""

    name: str
    svg: bytes
    caption: str
    alt: str


class Section(NamedTuple):
    """One entry of the registry, rendered and written."""

    entry: Entry
    drawings: list[Shown]
    tables: list[Table]
    statements: list[Statement]
    files: list[Path]


def make(entry: Entry, results: dict, folder: Path) -> Section:
    """Render an entry and write its files.

    Args:
        entry: the entry.
        results: step -> values, at least for the steps that the entry needs.
        folder: folder of the files; created if absent.

    Raises:
        InputError: if a file cannot be written.
    """
    with styled():
        rendered = entry.render({name: results[name] for name in entry.needs})
        images = [(drawing, svg_bytes(drawing.figure), png_bytes(drawing.figure)) for drawing in rendered.drawings]
    make_folder(folder, "-o")
    files = []
    for drawing, svg, png in images:
        files += [_write(folder / f"{drawing.name}.svg", svg), _write(folder / f"{drawing.name}.png", png)]
    files += [_write(folder / f"{table.name}.csv", csv_bytes(table)) for table in rendered.tables]
    if rendered.statements:
        statements = [asdict(statement) for statement in rendered.statements]
        files.append(write_json(folder / f"{entry.name}-statements.json", statements))
    drawings = [Shown(drawing.name, svg, drawing.caption, drawing.alt) for drawing, svg, _ in images]
    return Section(entry, drawings, rendered.tables, rendered.statements, files)


def csv_bytes(table: Table) -> bytes:
    """CSV of the table with its header, or of its data; numbers in full, None as an empty cell."""
    header, rows = table.data or (table.header, table.rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def _write(path: Path, content: bytes) -> Path:
    return write_atomically(path, lambda file: file.write(content), "wb")
