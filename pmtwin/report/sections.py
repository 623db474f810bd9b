"""Figures, tables and statements as HTML."""

from __future__ import annotations

from markupsafe import Markup

from pmtwin.console.output import counted
from pmtwin.figures.drawing.rendered import SAMPLES, Statement, Table
from pmtwin.figures.page.markup import code, figure, folded, joined, paragraph, section, table
from pmtwin.figures.page.svg import inline
from pmtwin.pipeline.declared import Part
from pmtwin.pipeline.files import Section, Shown

LONG_ROWS = 14
NARROW = frozenset({"device-mix", "validation"})

MARKS = {
    True: Markup('<span class="mark yes">✓ holds</span>'),
    False: Markup('<span class="mark no">✗ not so</span>'),
    None: Markup('<span class="mark open">number</span>'),
}


def figure_sections(sections: list[Section], options: str) -> list[Part]:
    """A part of the report for each group of entries, in the order of the groups' first entries.

    Args:
        sections: the figures with their tables.
        options: options with which the printed commands repeat the same numbers, such as ` --seed 3`.
    """
    groups: dict[str, list[Section]] = {}
    for made in sections:
        groups.setdefault(made.entry.group, []).append(made)
    parts = []
    for title, members in groups.items():
        identifier = title.lower().replace(" ", "-")
        content = (entry_html(made, f"{made.entry.command}{options}") for made in members)
        parts.append(Part(identifier, title, section(identifier, title, *content)))
    return parts


def entry_html(made: Section, command: str, folder: str = "figures/") -> Markup:
    """An entry: drawings, tables, data, and its command; `folder`: folder of its files, relative to the page."""
    head = Markup("<h3>{}</h3>").format(made.entry.title)
    source = paragraph(Markup("{} · {}").format(made.entry.place, code(command)), "soft")
    drawings = [drawing_html(shown) for shown in made.drawings]
    tables = [table_html(each) for each in made.tables if each.shown]
    names = Markup(", ").join(code(f"{folder}{path.name}") for path in made.files if path.suffix == ".csv")
    data = paragraph(Markup("Data: {}").format(names), "note") if names else ""
    return joined((head, source, *drawings, *tables, data))


def drawing_html(shown: Shown, title: str = "") -> Markup:
    """A drawing with its caption; `title`: a sentence above it."""
    svg = inline(shown.svg, shown.name, shown.alt)
    return figure(svg, shown.caption, title, "narrow" if shown.name in NARROW else "")


def table_html(data: Table) -> Markup:
    """A table with its title and note; long tables are folded."""
    body = joined((table(data.header, data.rows), paragraph(data.note, "note") if data.note else ""))
    if len(data.rows) > LONG_ROWS:
        return folded(f"{data.title} ({counted(len(data.rows), 'row')})", body)
    return joined((Markup("<h3>{}</h3>").format(data.title), body))


def statements_html(statements: list[Statement]) -> Markup:
    """Published statements and the corresponding results of the twin, one line each, with folded details."""
    rows = [(MARKS[row.holds], statement_html(row), SAMPLES[row.used]) for row in statements]
    return table(("", "stated, and what the twin shows", "sample"), rows, "statements")


def statement_html(statement: Statement) -> Markup:
    """A statement with folded details: its source and the result of the twin."""
    difference = f" Difference: {statement.difference}." if statement.difference else ""
    details = f"{statement.source}. In the twin: {statement.computed}.{difference}"
    return folded(statement.published, paragraph(details, "soft"))
