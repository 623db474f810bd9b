"""Figures, tables and statements as HTML."""

from __future__ import annotations

from pmtwin.figures.rendered import SAMPLES, Statement, Table
from pmtwin.output import counted
from pmtwin.pipeline.declared import Part
from pmtwin.pipeline.files import Section
from pmtwin.report.html import cell, code, image, section, table, text

LONG_ROWS = 14
NARROW = frozenset({"device-mix"})

MARKS = {
    True: '<span class="mark yes">✓ holds</span>',
    False: '<span class="mark no">✗ not so</span>',
    None: '<span class="mark open">number</span>',
}


def figure_sections(sections: list[Section], options: str) -> list[Part]:
    """A part of the report for each group of entries, in the order in which the groups first come.

    Args:
        options: what the commands need besides the name of a figure to give the same numbers (`--seed 3`).
    """
    groups: dict[str, list[Section]] = {}
    for one in sections:
        groups.setdefault(one.entry.group, []).append(one)
    html = []
    for title, members in groups.items():
        identifier = title.lower().replace(" ", "-")
        parts = (entry_html(one, f"{one.entry.command}{options}") for one in members)
        html.append(Part(identifier, title, section(identifier, title, *parts)))
    return html


def entry_html(one: Section, command: str, folder: str = "figures/") -> str:
    """One entry: its drawings, tables and data, which lie in `folder` as seen from the page; the command for it."""
    head = f"<h3>{text(one.entry.title)}</h3>"
    source = f'<p class="soft">{text(one.entry.place)} · {code(command)}</p>'
    drawings = "".join(
        f'<figure class="{"narrow" if shown.name in NARROW else ""}">{image(shown.svg, shown.alt)}'
        f"<figcaption>{text(shown.caption)}</figcaption></figure>"
        for shown in one.drawings
    )
    tables = "".join(_table(each) for each in one.tables if each.shown)
    names = ", ".join(code(f"{folder}{path.name}") for path in one.files if path.suffix == ".csv")
    data = f'<p class="note">Data: {names}</p>' if names else ""
    return head + source + drawings + tables + data


def _table(each: Table) -> str:
    note = f'<p class="note">{text(each.note)}</p>' if each.note else ""
    body = table(each.header, each.rows) + note
    if len(each.rows) > LONG_ROWS:
        return f"<details><summary>{text(each.title)} ({counted(len(each.rows), 'row')})</summary>{body}</details>"
    return f"<h3>{text(each.title)}</h3>{body}"


def statements_html(statements: list[Statement]) -> str:
    """Each published statement beside what the twin shows."""
    rows = "".join(
        f"<tr><td>{MARKS[one.holds]}</td><td>{cell(one.published)}<br><span class='soft'>{cell(one.source)}</span></td>"
        f"<td>{cell(one.computed)}</td><td>{cell(one.difference) if one.difference else ''}</td>"
        f"<td>{SAMPLES[one.used]}</td></tr>"
        for one in statements
    )
    head = "<tr><th></th><th>stated</th><th>in the twin</th><th>difference</th><th>sample</th></tr>"
    return f'<div class="scroll"><table class="statements"><thead>{head}</thead><tbody>{rows}</tbody></table></div>'
