"""The page: its parts under one another, with links to each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pmtwin import __version__
from pmtwin.pipeline.declared import Part
from pmtwin.pipeline.step import Setting
from pmtwin.report.css import CSS
from pmtwin.report.html import text
from pmtwin.sim.files import write_atomically

FILE = "report.html"


def write_report(folder: Path, title: str, setting: Setting, parts: Sequence[Part], host: dict) -> Path:
    """Write `report.html`, atomically.

    Raises:
        InputError: if it cannot be written.
    """
    page = render(title, setting, parts, host)
    return write_atomically(folder / FILE, lambda file: file.write(page), field="-o")


def render(title: str, setting: Setting, parts: Sequence[Part], host: dict) -> str:
    """The whole page as HTML."""
    head = _header(title, setting)
    links = " ".join(f'<a href="#{part.identifier}">{text(part.title)}</a>' for part in parts)
    body = "".join(part.html for part in parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>pmtwin: {text(title)}</title><style>{CSS}</style></head>"
        f'<body><div class="page">{head}<nav>{links}</nav>{body}{_footer(host)}</div></body></html>\n'
    )


def _header(title: str, setting: Setting) -> str:
    return (
        f'<header><h1>{text(title)}</h1><div class="soft">pmtwin {__version__} · seed {setting.seed} '
        f'<span class="badge">{text(setting.campaign.name)} campaign</span></div></header>'
    )


def _footer(host: dict) -> str:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f'<footer class="soft">Made {made} by pmtwin {__version__} on {text(host["cpu"]["model"])}.</footer>'
