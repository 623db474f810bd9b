"""The region of skew and capacity that fits two published numbers, and what it predicts of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.averages import by_seed
from pmtwin.scenarios.hybrid_storage.figures.claims import Shown, shown, statements, table
from pmtwin.scenarios.hybrid_storage.figures.experiments.fitting import FASTS, SKEWS, fitted_to
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import basis, beside, ink
from pmtwin.scenarios.hybrid_storage.figures.policies import SIBYL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FITS = 10.0
"""A cell whose distance is at most this, in points, fits."""

FIGURES = ("3", "8", "9", "10", "15")


def render(results: dict) -> Rendered:
    """Panels: Sibyl's share of Oracle on either storage, the distance from both numbers; below them all claims."""
    import matplotlib.pyplot as plt

    cells, best = results["fit"]["cells"], results["fit"]["best"]
    rows = results["fitted"]["runs"]
    seeds = by_seed(rows)
    claims = [each for name in FIGURES for each in shown(name, seeds)]
    drawn = [each for each in claims if each.asked.published.claim.endswith(", %")]
    below = 0.5 + 0.2 * len(drawn)
    names: list[Any] = [*fitted_to(), "distance"]
    figure, axes_of = plt.subplot_mosaic(
        [names, ["claims"] * len(names)], figsize=(PAGE_IN, 2.6 + below), height_ratios=(2.4, below)
    )
    grids = {**{config: f"{config}: % of Oracle\n(published {value:g})" for config, value in fitted_to().items()},
             "distance": "distance from both\n(points)"}  # fmt: skip
    for key, title in grids.items():
        _draw_grid(axes_of[key], cells, best, key, title)
    axes_of[names[0]].set_ylabel("skew")
    beside(axes_of["claims"], drawn)
    inside = [cell for cell in cells if cell["distance"] <= FITS]
    fit = f"Least distance: skew {best['skew']:g}, fast {best['fast']:g} %: {number(best['distance'])} points."
    caption = (
        f"In-sample: Sibyl's shares of Oracle (figure 3), which set one value each of skew and fast capacity, on five "
        f"traces that stand for all 17. {fit} "
        f"Bold: within {FITS:g} points, {len(inside)} of {len(cells)} cells. All else is predicted. {basis(rows)}"
    )
    fitted = [each for each in claims if _is_fitted(each)]
    predicted = [each for each in claims if not _is_fitted(each)]
    in_sample = Statement("3.4, figure 3", "Sibyl's shares of Oracle", fit, None, used=True)
    grid = Table(
        "hybrid-calibration-grid",
        "Cells",
        tuple(cells[0]),
        [tuple(round(value, 3) for value in cell.values()) for cell in cells],
        shown=False,
    )
    return Rendered(
        [Drawing("hybrid-calibration", figure, caption, fit)],
        [table("calibration", "All claims with the fitted skew and capacity", claims, caption), grid],
        [in_sample, *statements(fitted, used=True), *statements(predicted)],
    )


def _draw_grid(axes: Axes, cells: Sequence[dict], best: dict, key: str, title: str) -> None:
    """A number of each cell, by skew and fast capacity; bold: cells that fit; a square: the best one."""
    values = np.array([cell[key] for cell in cells]).reshape(len(SKEWS), len(FASTS))
    image = axes.imshow(values, aspect="auto", cmap="Blues" if key != "distance" else "Oranges_r")
    for (y, x), value in np.ndenumerate(values):
        weight = "bold" if cells[y * len(FASTS) + x]["distance"] <= FITS else "normal"
        colour = ink(np.ravel(image.cmap(image.norm(value))).tolist())
        axes.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize=6.5, weight=weight, color=colour)
    axes.set_xticks(range(len(FASTS)), [f"{fast:g}" for fast in FASTS])
    axes.set_yticks(range(len(SKEWS)), [f"{skew:g}" for skew in SKEWS])
    axes.grid(visible=False)
    place = FASTS.index(best["fast"]), SKEWS.index(best["skew"])
    axes.plot(*place, "s", color="black", markerfacecolor="none", markersize=13)
    axes.set_title(title, fontsize=8)
    axes.set_xlabel("fast capacity (%)")


def _is_fitted(claim: Shown) -> bool:
    return claim.asked.name == SIBYL
