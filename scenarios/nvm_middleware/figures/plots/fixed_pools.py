"""Reward quartiles of fixed settings in each phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import SymLogNorm

from pmtwin.figures.drawing.numbers import percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.scenarios.nvm_middleware.figures.plots.host import MISSED
from pmtwin.scenarios.nvm_middleware.inference.quantities import pools_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BASELINE = (15, 15)
DIAGONAL = (1, 2, 4, 6, 8, 10, 12, 15, 18, 22, 27, 32)
LINEAR_BELOW = 10.0
"""Rewards within this of zero are shaded linearly, larger losses by their logarithm."""


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `fixed-pools`."""
    data = results["fixed-pools"]
    return Rendered(
        [_drawing(data)], [_published_table(data), _best_table(data), _all_table(data)], _order_statements(data)
    )


def _published_table(data: dict) -> Table:
    rows = []
    for phase, (source, table) in published.FIXED_POOL_REWARDS.items():
        for pools, quantiles in table.items():
            name = pools_text(pools)
            ours = data["phases"][str(phase)]["published"][name]
            rows.append((source, phase, name, "published", *quantiles, None))
            rows.append((source, phase, name, "twin", *ours["reward"].values(), ours["attainment"]))
    return Table(
        "fixed-pools-published",
        "Tables D.4 to D.7: reward quartiles of fixed pools, as published and in the twin",
        ("table", "phase", "pools", "", "min", "Q1", "median", "Q3", "max", "attainment"),
        rows,
        "Tables D.4 and D.6 are evidence of the inferred host, by sign and order; D.5 and D.7 are predicted. The size "
        "of a loss rests on max_latency, which is not published.",
    )


def _order_statements(data: dict) -> list[Statement]:
    return [
        _order_statement(*entry, data["orders"][str(phase)]) for phase, entry in published.FIXED_POOL_REWARDS.items()
    ]


def _order_statement(source: str, _table: dict, found: dict) -> Statement:
    turned = "; ".join(f"{worse} above {better} in {percent(1.0 - share)}" for better, worse, share in found["wrong"])
    return Statement(
        source,
        f"median rewards of fixed pools: {found['order']}",
        f"{percent(found['whole'])} of {found['draws']} draws of the inferred host have the whole order; a pair is "
        f"right in {percent(found['pairs'])}; pairs that most draws turn round: {turned or 'none'}",
        holds=found["whole"] >= MISSED,
        used=source in published.INFERRED_FROM,
    )


def _all_table(data: dict) -> Table:
    rows = []
    for phase, grid in data["phases"].items():
        settings = [("none", None), *map(tuple, data["pools"])]
        for (interactive, batch), entry in zip(settings, [grid["none"], *grid["fixed"]], strict=True):
            rows.append((int(phase), interactive, batch, *entry["reward"].values(), *_further_columns(entry)))
    header = (
        *("phase", "interactive_threads", "batch_threads", "min", "q1", "median", "q3", "max", "mean"),
        *("attainment", "p99_us", "throughput_ops"),
    )
    return Table("fixed-pools", "Reward quartiles of all fixed settings", header, rows, shown=False)


def _further_columns(entry: dict) -> tuple:
    return tuple(entry[name] for name in ("mean", "attainment", "p99_us", "throughput_ops"))


def _best_table(data: dict) -> Table:
    pools = [tuple(pair) for pair in data["pools"]]
    rows = []
    for phase, grid in data["phases"].items():
        best = int(np.argmax([entry["mean"] for entry in grid["fixed"]]))
        equal = [(f"{i},{b}", grid["fixed"][k]) for k, (i, b) in enumerate(pools) if i == b and i in DIAGONAL]
        chosen = [(f"best: {pools[best][0]},{pools[best][1]}", grid["fixed"][best]), *equal, ("none", grid["none"])]
        rows += [(int(phase), name, *entry["reward"].values(), entry["attainment"]) for name, entry in chosen]
    return Table(
        "fixed-pools-shown",
        "Reward quartiles over windows: the best setting of the grid, equal pools, and no middleware",
        ("phase", "pools", "min", "Q1", "median", "Q3", "max", "attainment"),
        rows,
    )


def _drawing(data: dict) -> Drawing:
    pools = np.array(data["pools"])
    sizes = np.unique(pools[:, 0])
    medians = {phase: _grid(phase_data, pools, sizes) for phase, phase_data in data["phases"].items()}
    low = min(float(grid.min()) for grid in medians.values())
    high = max(float(grid.max()) for grid in medians.values())
    norm = SymLogNorm(LINEAR_BELOW, vmin=low, vmax=max(high, LINEAR_BELOW))
    figure, panels = plt.subplots(1, 4, figsize=(PAGE_IN, 2.25), sharey=True)
    for axes, (phase, grid) in zip(panels, medians.items(), strict=True):
        image = axes.pcolormesh(grid, cmap="cividis", norm=norm, edgecolors="white", linewidth=0.3)
        _mark(axes, _grid(data["phases"][phase], pools, sizes, "mean"), sizes)
        ticks = [k for k, size in enumerate(sizes) if size in (1, 4, 8, 15, 22, 32)]
        axes.set_xticks(np.array(ticks) + 0.5, sizes[ticks])
        axes.set_yticks(np.array(ticks) + 0.5, sizes[ticks])
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
        axes.set(xlabel="batch threads", title=f"phase {phase}")
    panels[0].set_ylabel("interactive threads")
    bar = figure.colorbar(image, ax=panels, pad=0.01, aspect=25, ticks=[-10_000, -1000, -100, -10, 0])
    bar.ax.set_yticklabels(["−10 k", "−1 k", "−100", "−10", "0"])
    bar.set_label("median reward")
    bar.outline.set_visible(False)
    return Drawing(
        "fixed-pools",
        figure,
        "Median reward per window of fixed pools in each phase; brighter is better. The star marks the best mean "
        "reward of the grid, the square the published baseline of 15,15. Losses beyond 10 are shaded by logarithm.",
        "Four heat maps of the median reward over interactive and batch threads, one per phase.",
    )


def _grid(values: dict, pools: np.ndarray, sizes: np.ndarray, quantity: str = "median") -> np.ndarray:
    grid = np.full((sizes.size, sizes.size), np.nan)
    for (interactive, batch), entry in zip(pools, values["fixed"], strict=True):
        grid[np.searchsorted(sizes, interactive), np.searchsorted(sizes, batch)] = (
            entry["mean"] if quantity == "mean" else entry["reward"][quantity]
        )
    return grid


def _mark(axes: Axes, grid: np.ndarray, sizes: np.ndarray) -> None:
    i, j = np.unravel_index(np.nanargmax(grid), grid.shape)
    axes.plot(j + 0.5, i + 0.5, marker="*", color="black", markersize=8, markeredgecolor="white", markeredgewidth=0.6)
    if set(BASELINE) <= set(sizes.tolist()):
        i, j = (np.searchsorted(sizes, size) for size in BASELINE)
        axes.plot(j + 0.5, i + 0.5, marker="s", markersize=6, markerfacecolor="none", markeredgecolor="white")
