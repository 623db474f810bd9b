"""Style of figures, and their files: the same bytes for the same values."""

from __future__ import annotations

import io
from collections.abc import Iterable
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING

from pmtwin.figures.drawing.hover import hover_shapes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PALETTE = BLUE, ORANGE, GREEN, PINK, VERMILION, SKY, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#5A5A5A",
)
"""Okabe and Ito's palette: distinct with every kind of colour blindness."""

BLUES = {BLUE, SKY}
"""Hard to tell apart as thin lines."""

COLUMN_IN, PAGE_IN = 3.4, 7.1
"""Widths of one and of two columns of a printed page, in inches."""

SHADES = ("#eef3f8", "#fbf3e2", "#e9f4f0", "#f8edf3")
"""Backgrounds of stretches of time, by number."""

CLASS_COLOURS = (BLUE, ORANGE)
"""Colours of the classes of requests, in their order."""


@contextmanager
def styled():
    """Within it matplotlib draws as the project does, without a display."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    sheet = resources.files("pmtwin.figures.drawing").joinpath("pmtwin.mplstyle")
    with resources.as_file(sheet) as path, plt.style.context(["default", str(path)]):
        try:
            yield plt
        finally:
            plt.close("all")


def svg_bytes(figure: Figure) -> bytes:
    """The figure as SVG, without date; a viewer shows values where the pointer rests (`figures.drawing.hover`)."""
    buffer, dpi = io.BytesIO(), figure.dpi
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": "pmtwin"})
    figure.set_dpi(72)  # of matplotlib's SVG, whose layout the figure still has
    shapes = hover_shapes(figure).encode()
    figure.set_dpi(dpi)
    text = buffer.getvalue()
    end = text.rindex(b"</svg>")
    return text[:end] + shapes + text[end:]


def png_bytes(figure: Figure) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": "pmtwin"})
    return buffer.getvalue()


def policy_label(spec: str) -> str:
    """A policy as a legend calls it."""
    name, _, argument = spec.partition(":")
    return {
        "none": "no middleware",
        "fixed": f"fixed {argument}",
        "q-learning": "Q-learning",
        "best-fixed": "best fixed (oracle)",
        "best-constant": "best constant",
        "threshold": "threshold",
        "random": "random",
    }.get(name, spec)


def policy_colour(spec: str) -> str:
    """The colour that a policy has in all figures."""
    if spec == "fixed:15,15":
        return ORANGE
    name = spec.partition(":")[0]
    colours = {"none": GREY, "q-learning": BLUE, "best-fixed": GREEN, "threshold": PINK, "fixed": SKY}
    return colours.get(name, VERMILION)


def policy_colours(specs: Iterable[str]) -> dict[str, str]:
    """A colour for each policy of a page: its own, or the next that is free; then again from the first.

    The second blue comes last, where the first is on the page.
    """
    colours: dict[str, str] = {}
    for spec in specs:
        used = set(colours.values())
        free = [colour for colour in PALETTE if colour not in used]
        apart = [colour for colour in free if not ({colour, *used} >= BLUES)]
        again = PALETTE[len(colours) % len(PALETTE)]
        colours[spec] = policy_colour(spec) if policy_colour(spec) in apart else (apart or free or [again])[0]
    return colours


POLICY_MARKERS = {"none": "s", "fixed": "D", "q-learning": "o", "best-fixed": "*", "threshold": "^"}


def policy_marker(spec: str) -> str:
    """The marker that a policy has in all figures, so that they can be read without colour."""
    return POLICY_MARKERS.get(spec.partition(":")[0], "v")
