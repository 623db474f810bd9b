"""The page of `pmtwin run`: its parts in a column, with links to each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pmtwin import __version__
from pmtwin.figures.page.generator import generator
from pmtwin.figures.page.markup import page
from pmtwin.pipeline.declared import Part
from pmtwin.pipeline.step import Setting
from pmtwin.sim.files.writing import write_text

FILE = "report.html"


def write_report(folder: Path, title: str, setting: Setting, parts: Sequence[Part], host: dict) -> Path:
    """Write `report.html` into the folder, atomically; returns its path.

    Raises:
        InputError: if the file cannot be written.
    """
    text = render(title, setting, parts, host)
    return write_text(folder / FILE, text, "-o")


def render(title: str, setting: Setting, parts: Sequence[Part], host: dict) -> str:
    """The whole page as HTML."""
    about = f"pmtwin {__version__} · seed {setting.seed}"
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    footer = f"Made {made} by pmtwin {__version__} on {host['cpu']['model']}."
    return page(title, about, parts, f"{setting.campaign.name} campaign", footer, generator=generator("run"))
