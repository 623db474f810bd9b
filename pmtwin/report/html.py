"""Small pieces of HTML: text that is escaped, tables, images as data URIs."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from pmtwin.figures.style import number


def text(value: object) -> str:
    """Escaped text."""
    return escape(str(value), quote=True)


def paragraph(content: str, css: str = "") -> str:
    """A paragraph of HTML that is escaped already."""
    return f'<p class="{css}">{content}</p>' if css else f"<p>{content}</p>"


def code(command: str) -> str:
    """A command in line."""
    return f"<code>{text(command)}</code>"


def cell(value: object) -> str:
    """A value as a reader wants it: four significant digits, thousands separated, a dash for nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return number(value, 4)
    return text(value)


def table(header: Sequence[str], rows: Iterable[Sequence[object]], css: str = "") -> str:
    """A table; numbers to the right, everything else to the left; wide ones scroll on their own."""
    rows = [tuple(row) for row in rows]
    numeric = [any(map(_is_number, column)) for column in zip(*rows, strict=True)] or [False] * len(header)
    head = "".join(_tagged("th", text(name), is_number) for name, is_number in zip(header, numeric, strict=True))
    lines = ("".join(_tagged("td", cell(value), n) for value, n in zip(row, numeric, strict=True)) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table class="{css}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tagged(tag: str, content: str, is_number: bool) -> str:
    return f'<{tag} class="n">{content}</{tag}>' if is_number else f"<{tag}>{content}</{tag}>"


def image(svg: bytes, alt: str) -> str:
    """An SVG inside the page. As an image of its own, so that the identifiers of several do not meet."""
    data = base64.b64encode(svg).decode("ascii")
    return f'<img alt="{text(alt)}" src="data:image/svg+xml;base64,{data}">'


def section(identifier: str, title: str, *content: str) -> str:
    """A section that the table of contents can point to."""
    return f'<section id="{identifier}"><h2>{text(title)}</h2>{"".join(content)}</section>'


def items(lines: Iterable[str]) -> str:
    """A list of lines of HTML."""
    return f"<ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>"
