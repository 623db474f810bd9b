"""The pieces that the report's page is made of: style, tables, figures, cards."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em; color: #222 }
h1 { margin-bottom: 0 } h2 { margin-top: 2em; border-bottom: 1px solid #ddd }
.about { color: #666; margin-top: .2em }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums }
th, td { padding: .2em .8em; text-align: right; white-space: nowrap }
th { border-bottom: 2px solid #888; vertical-align: bottom; white-space: normal }
td:first-child, th:first-child, table.text td, table.text th { text-align: left }
table.text td { white-space: normal; vertical-align: top }
tr:nth-child(even) { background: #f6f6f6 } tr.poor { background: #fbdcc8 }
.wide { overflow-x: auto } figure { margin: 1em 0 } img { max-width: 100% } figcaption { color: #555; font-size: 90% }
.cards { display: flex; flex-wrap: wrap; gap: .8em; margin: 1.2em 0 }
.card { flex: 1 1 9em; padding: .6em 1em; background: #eef3f7; border-left: 5px solid #9db4c6 }
.card.middling { background: #fdf0e8; border-color: #f0b48f } .card.poor { background: #fbdcc8; border-color: #e8743b }
.card b { display: block; font-size: 165%; line-height: 1.25 } .card span { color: #444; font-size: 90% }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(25em, 1fr)); gap: 0 2em }
code { background: #f4f4f4; overflow-wrap: anywhere }
"""


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], marked: Iterable[bool] = (), text: bool = False
) -> str:
    """A table, rows with a true mark in a warning colour; `text` for cells of words, which may wrap."""
    marks = list(marked)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    lines = [f"<div class=wide><table{' class=text' if text else ''}><tr>{head}</tr>"]
    for number, row in enumerate(rows):
        mark = " class=poor" if number < len(marks) and marks[number] else ""
        lines.append(f"<tr{mark}>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>")
    return "\n".join([*lines, "</table></div>"])


def figure(name: str, caption: str) -> str:
    """A plot beside the page, with its caption below it and as its text for those who cannot see it."""
    caption = html.escape(caption)
    return f'<figure><img src="{name}" alt="{caption}"><figcaption>{caption}</figcaption></figure>'


def card(value: str, label: str, kind: str = "") -> str:
    """One figure to see at a glance; `kind` is "", "middling" or "poor"."""
    return f'<div class="card {kind}"><b>{html.escape(value)}</b><span>{html.escape(label)}</span></div>'


def listed(lines: Iterable[str]) -> str:
    """A list of sentences; nothing for none."""
    items = "".join(f"<li>{html.escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def folded(title: str, content: str) -> str:
    """Content that opens on a click; nothing for none."""
    return f"<details><summary>{html.escape(title)}</summary>{content}</details>" if content else ""


def three(values: Sequence[float] | None) -> str:
    """Median / mean / 90th percentile."""
    return " / ".join(f"{value:.2f}" for value in values) if values else ""
