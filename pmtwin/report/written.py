"""Writing of a page: one self-contained `index.html`, and each drawing as SVG with its data as CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pmtwin.console.command_line import typed_command
from pmtwin.figures.drawing.rendered import Drawing
from pmtwin.figures.drawing.style import svg_bytes
from pmtwin.figures.page.generator import PAGE, generator
from pmtwin.figures.page.markup import figure, page
from pmtwin.figures.page.svg import inline
from pmtwin.pipeline.files import csv_bytes
from pmtwin.sim.files.writing import make_folder, write_atomically, write_text

WIDE_IN = 5.0
"""Width in inches from which a drawing takes the whole width of the page."""


def write_page(
    folder: Path,
    title: str,
    about: str,
    drawings: Mapping[str, Drawing],
    parts: Callable[[dict], list],
    command: str,
    facts: Mapping[str, object],
) -> Path:
    """Write the page; returns its path. Call it within `pmtwin.figures.drawing.style.styled`.

    Args:
        folder: folder of the page.
        title, about: heading of the page, and the line below it.
        drawings: name -> drawing.
        parts: function from a mapping name -> HTML of the drawing to the parts of the page.
        command: command of the report.
        facts: conditions of the results, for the head of the page.

    Raises:
        InputError: if the folder cannot be created or written.
    """
    images = {name: svg_bytes(drawing.figure) for name, drawing in drawings.items()}
    figures = {
        name: figure(inline(images[name], each.name, each.alt), _caption(each), each.alt, _width(each))
        for name, each in drawings.items()
    }
    text = page(title, about, parts(figures), generator=generator(command), facts=facts, command=typed_command())
    make_folder(folder, "--report")
    for name, each in drawings.items():
        _write(folder / f"{each.name}.svg", images[name])
        if each.data is not None:
            _write(folder / f"{each.name}.csv", csv_bytes(each.data))
    return write_text(folder / PAGE, text, "--report")


def _write(path: Path, content: bytes) -> None:
    write_atomically(path, lambda file: file.write(content), "wb", "--report")


def _caption(drawing: Drawing) -> str:
    """Caption with the names of the files of the drawing."""
    return f"{drawing.caption} ({drawing.name}.svg{f', {drawing.name}.csv' if drawing.data else ''})"


def _width(drawing: Drawing) -> str:
    """CSS class of a drawing: "narrow" for one that does not take the whole width of the page."""
    return "narrow" if drawing.figure.get_figwidth() < WIDE_IN else ""
