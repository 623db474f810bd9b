"""Values of a drawing that show where the pointer rests: transparent shapes with a title, added to its SVG."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.numbers import MINUS, number

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import Container
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

MOST_POINTS = 80
"""Points of a line that have a value; of longer ones as many, evenly."""

RADIUS = 4.0


def hover_shapes(figure: Figure) -> str:
    """A group of SVG elements for all points of lines and scatters and all bars; empty for a drawing without any.

    Call it where `figure.dpi` is 72, as matplotlib's SVG has it, and after that SVG was written: its layout is used.
    """
    height = figure.bbox.height
    shapes = [shape for axes in figure.axes for shape in _shapes(axes, height)]
    return f'<g class="hover" fill="transparent" stroke="none">{"".join(shapes)}</g>\n' if shapes else ""


def _shapes(axes: Axes, height: float) -> Iterator[str]:
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer

    for line in axes.get_lines():
        if line.get_visible() and line.get_transform() == axes.transData:
            yield from _points(axes, _label(line), np.column_stack(line.get_data(orig=False)).astype(float), height)
    for collection in axes.collections:
        if isinstance(collection, PathCollection):
            yield from _points(axes, _label(collection), np.asarray(collection.get_offsets(), float), height)
    for bars in axes.containers:
        if isinstance(bars, BarContainer):
            for bar in bars:
                yield _bar(axes, _label(bars), bar, bars.orientation, height)


def _label(artist: Artist | Container) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _points(axes: Axes, label: str, values: np.ndarray, height: float) -> Iterator[str]:
    values = values[np.isfinite(values).all(axis=1)]
    if len(values) > MOST_POINTS:
        values = values[np.linspace(0, len(values) - 1, MOST_POINTS).astype(int)]
    if not len(values):
        return
    box = axes.get_window_extent()
    for (x, y), (px, py) in zip(values, axes.transData.transform(values), strict=True):
        if box.x0 - 1 <= px <= box.x1 + 1 and box.y0 - 1 <= py <= box.y1 + 1:
            title = _title(axes, label, x, y)
            yield f'<circle cx="{px:.2f}" cy="{height - py:.2f}" r="{RADIUS:g}"><title>{title}</title></circle>'


def _bar(axes: Axes, label: str, bar: Rectangle, orientation: str | None, height: float) -> str:
    box = bar.get_window_extent()
    middle = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2
    x, y = (middle[0], bar.get_height()) if orientation == "vertical" else (bar.get_width(), middle[1])
    place = f'x="{box.x0:.2f}" y="{height - box.y1:.2f}" width="{box.width:.2f}" height="{box.height:.2f}"'
    return f"<rect {place}><title>{_title(axes, label, x, y)}</title></rect>"


def _title(axes: Axes, label: str, x: float, y: float) -> str:
    parts = [label, _value(axes.xaxis, axes.get_xlabel(), x), _value(axes.yaxis, axes.get_ylabel(), y)]
    return escape("; ".join(part for part in parts if part))


def _value(axis: Axis, name: str, value: float) -> str:
    """A value with the name of its axis; on an axis of names the nearest of them."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    formatter = axis.get_major_formatter()
    if isinstance(formatter, FixedFormatter | FuncFormatter):
        labels = [text.get_text() for text in axis.get_ticklabels()]
        places = axis.get_ticklocs()
        if len(labels) == len(places) and len(places) and not all(_is_number(text) for text in labels):
            return labels[int(np.argmin(np.abs(places - value)))].replace("\n", " ")
    return f"{name} {number(float(value), 4)}".strip()


def _is_number(text: str) -> bool:
    try:
        float(text.replace(MINUS, "-").replace(",", ""))
    except ValueError:
        return False
    return True
