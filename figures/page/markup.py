"""Pieces of a page, rendered from `templates/parts.html`; every text is escaped there, `Markup` is HTML already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from pmtwin.figures.drawing.numbers import number

MANY_COLUMNS, FEW_ROWS = 6, 8
"""Tables of so many columns and so few rows become lists on a telephone."""


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    return Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)


def _part(name: str, *arguments: object) -> Markup:
    return Markup(str(getattr(_environment().get_template("parts.html").module, name)(*arguments)).strip())


def joined(parts: Iterable[str]) -> Markup:
    """Pieces one after the other."""
    return Markup("").join(parts)


def cell(value: object) -> str:
    """A value as a reader wants it: four significant digits, thousands separated, a dash for nothing.

    A float of less than a millionth is zero: it is the remainder of a difference.
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return number(0.0 if abs(value) < 1e-6 else value, 4)
    return value if isinstance(value, Markup) else str(value)


def table(
    header: Sequence[str], rows: Iterable[Sequence[object]], css: str = "", marked: Sequence[bool] = ()
) -> Markup:
    """A table; numbers to the right, everything else to the left; wide ones scroll on their own.

    On a telephone, short tables of many columns show a row as a list of names and values.

    Args:
        marked: whether a row is set apart by a warning colour; none of those beyond its end.
    """
    rows = [tuple(row) for row in rows]
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    css = css or ("stacked" if len(header) >= MANY_COLUMNS and len(rows) <= FEW_ROWS and not any(marked) else "")
    numeric = [any(map(_is_number, column)) for column in columns]
    marked = [*marked, *[False] * (len(rows) - len(marked))]
    return _part("table", header, [[cell(value) for value in row] for row in rows], numeric, marked, css)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def figure(svg: Markup, caption: str, title: str = "", css: str = "") -> Markup:
    """A drawing of `svg.inline` with its caption, below a title where there is one."""
    return _part("figure", svg, caption, title, css)


def card(value: str, what: str = "", more: str = "", kind: str = "") -> Markup:
    """A number to see at a glance; `kind` is "", "middling" or "poor"."""
    return _part("card", value, what, more, kind)


def section(identifier: str, title: str, *content: str) -> Markup:
    """A section that the table of contents can point to."""
    return _part("section", identifier, title, joined(content))


def folded(title: str, content: str) -> Markup:
    """Content that opens on a click; nothing for none."""
    return _part("folded", title, content) if content else Markup()


def items(lines: Iterable[str]) -> Markup:
    """A list; nothing for none."""
    lines = list(lines)
    return _part("items", lines) if lines else Markup()


def paragraph(content: str, css: str = "") -> Markup:
    """A paragraph."""
    return _part("paragraph", content, css)


def group(css: str, content: Iterable[str]) -> Markup:
    """Pieces in a box of a class of the style sheet: `cards`, `pictures`, `columns`, `misses`."""
    return _part("group", css, joined(content))


def code(command: str) -> Markup:
    """A command in line."""
    return Markup("<code>{}</code>").format(command)


def soft(text: str) -> Markup:
    """Text in line that is less important."""
    return Markup('<span class="soft">{}</span>').format(text)


def page(
    title: str,
    about: str,
    parts: Sequence,
    badge: str = "",
    footer: str = "",
    generator: str = "pmtwin",
    facts: Mapping[str, object] | None = None,
    command: str = "",
) -> str:
    """The whole page.

    Args:
        parts: with `identifier`, `title` and `html`; each is linked to from the top.
        badge: a word beside `about`.
        generator: of `pmtwin.figures.page.generator`, by which a later report knows the page as an earlier one.
        facts: what the results rest on, such as device and host. command: what made the page.
    """
    facts = {name.replace("_", " "): cell(value) for name, value in (facts or {}).items()}
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            about=about,
            parts=parts,
            badge=badge,
            footer=footer,
            generator=generator,
            facts=facts,
            command=command,
        )
    )
