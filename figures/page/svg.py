"""A drawing of matplotlib inside a page: its colours follow the page, its values show where the pointer rests."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

THEME = {
    "#ffffff": "var(--paper)",
    "#222222": "var(--label)",
    "#000000": "var(--label)",
    "#444444": "var(--axis)",
    "#e6e6e6": "var(--grid)",
    "#5a5a5a": "var(--grey)",
    "#e8743b": "var(--worst)",
    "#eef3f7": "var(--shade-1)",
    "#fbdcc8": "var(--poor)",
    "#eef3f8": "var(--shade-1)",
    "#fbf3e2": "var(--shade-2)",
    "#e9f4f0": "var(--shade-3)",
    "#f8edf3": "var(--shade-4)",
}
"""Neutral colours of the figures' style -> variables of the page's style sheet; colours of data stay."""

_COLOUR = re.compile("|".join(THEME), re.IGNORECASE)
_IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
_SIZE = re.compile(r'<svg\b[^>]*?(viewBox="[^"]*")[^>]*>', re.DOTALL)


def inline(svg: bytes, name: str, alt: str) -> Markup:
    """The drawing as an element of a page.

    Args:
        svg: of `pmtwin.figures.drawing.style.svg_bytes`.
        name: unique on the page: prefix of all identifiers in it.
        alt: alternative text.
    """
    text = svg.decode("utf-8")
    start = text.index("<svg")
    text = re.sub(r"<metadata>.*?</metadata>", "", text[start:], count=1, flags=re.DOTALL)
    text = _IDENTIFIER.sub(rf"\g<1>{name}-", text)
    text = _COLOUR.sub(lambda match: THEME[match[0].lower()], text)
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    head = rf'<svg {spaces} \1 role="img" aria-label="{escape(alt)}">'
    return Markup(_SIZE.sub(head, text, count=1).strip())
