"""Result of a figure's function: drawings, tables, and published statements with their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Table:
    """A table, printed in the report and written as CSV.

    Args:
        name: stem of its CSV file.
        title: one line.
        header: names of the columns, with units.
        rows: one sequence per row; None is an empty cell.
        note: remarks for the reader.
        shown: whether the report prints it (data beside a drawing is only written).
        data: header and rows of its CSV file, where they differ from the shown ones.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    shown: bool = True
    data: tuple[Sequence[str], Sequence[Sequence[Cell]]] | None = None


@dataclass(frozen=True)
class Drawing:
    """A figure of matplotlib, with remarks for the reader.

    Args:
        name: stem of its files.
        figure: drawn with `pmtwin.figures.drawing.style`.
        caption: sentences.
        alt: alternative text.
        data: the numbers that it draws, where no other table of the same page has them.
    """

    name: str
    figure: Figure
    caption: str
    alt: str
    data: Table | None = None


SAMPLES = {True: "in-sample", False: "out-of-sample", None: ""}
"""Names of the values of `Statement.used`."""


@dataclass(frozen=True)
class Statement:
    """A published statement and the twin's result.

    Args:
        source: page, section or table.
        published: the published statement.
        computed: what came out here, with its interval where it has one.
        holds: whether the statement is true of the twin; None where that is no question of yes or no.
        difference: computed less published, where both are numbers.
        used: whether a part of the model was inferred from it, so that agreement is no evidence; None of what nobody
            published.
    """

    source: str
    published: str
    computed: str
    holds: bool | None = None
    difference: str = ""
    used: bool | None = None


@dataclass(frozen=True)
class Rendered:
    """Everything that one entry of the registry shows."""

    drawings: list[Drawing] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
