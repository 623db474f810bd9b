"""A map of the best numbers of logical cores: nothing like it is published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.sim.common.number_forms import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
KEY = "28\n+20\n\nbest on 28 logical cores\nnear the data and 20\nfar from them;\none number: none far"
LEAST_SHARE = 0.5
"""Lower end of the colours."""

DARK_BELOW = 0.72
"""Share below which text on the colour is white."""


def render(results: dict) -> Rendered:
    """Panels by device and number of threads: cores near + far in each field, and what all threads near would lose."""
    import matplotlib.pyplot as plt

    cells = results["best-cores"]["cells"]
    panels = list(dict.fromkeys((cell["device"], cell["threads"]) for cell in cells))
    rows = -(-len(panels) // COLUMNS)
    figure, axes = plt.subplots(rows, COLUMNS, figsize=(PAGE_IN, 0.5 + 2.3 * rows), squeeze=False, sharey=True)
    for axis, (device, threads) in zip(axes.flat, panels, strict=False):
        mesh = _panel(axis, [cell for cell in cells if (cell["device"], cell["threads"]) == (device, threads)])
        axis.set_title(f"{device}\n{threads} threads")
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
        axis.text(0.5, 0.5, KEY, ha="center", va="center", fontsize=7.5, transform=axis.transAxes)
    for row in axes:
        row[0].set_ylabel("reads (%)")
    figure.colorbar(
        mesh, ax=list(axes.flat[: len(panels)]), label="all near the data, of the best (%)", shrink=0.8, aspect=30
    )
    caption = (
        "By formulas, for each size of value and share of reads: the logical cores near the data + far from them that "
        "do most operations/s. Colour: operations/s of all threads on the cores near the data, as a share of that. "
        "Nothing of it is published."
    )
    least = min(cells, key=_all_near)
    alt = (
        f"All threads near reach {percent(_all_near(least), 0)} of the best at least, with {least['threads']} threads, "
        f"values of {least['value_bytes']:,} B and {percent(least['read_share'], 0)} of reads."
    )
    header = tuple(cells[0])
    table = Table(
        "numa-map", "Best cores", header, [tuple(cell[name] for name in header) for cell in cells], shown=False
    )
    return Rendered([Drawing("numa-map", figure, caption, alt)], [table])


def _panel(axes: Axes, cells: list[dict]) -> Any:
    sizes, reads = (sorted({cell[name] for cell in cells}) for name in ("value_bytes", "read_share"))
    share = np.zeros((len(reads), len(sizes)))
    for cell in cells:
        row, column = reads.index(cell["read_share"]), sizes.index(cell["value_bytes"])
        share[row, column] = _all_near(cell)
        colour = "white" if share[row, column] < DARK_BELOW else "black"
        text = f"{cell['near']}\n+{cell['far']}" if cell["far"] else f"{cell['near']}"
        axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color=colour)
    mesh = axes.imshow(
        100.0 * share, cmap="cividis", vmin=100.0 * LEAST_SHARE, vmax=100.0, origin="lower", aspect="auto"
    )
    axes.set_xticks(range(len(sizes)), [_bytes(size) for size in sizes])
    axes.set_yticks(range(len(reads)), [f"{100 * each:.0f}" for each in reads])
    axes.set_xlabel("value (bytes)")
    axes.grid(False)
    return mesh


def _all_near(cell: dict) -> float:
    """Operations/s of all threads near, as a share of the best."""
    return cell["all_near"] / cell["ops_per_s"]


def _bytes(size: int) -> str:
    """A size in few letters."""
    if size % 1000 == 0:
        return f"{size / 1000:.0f} k"
    return f"{size / 1024:.0f} Ki" if size >= 1024 else f"{size}"
