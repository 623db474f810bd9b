"""Reward quartiles of fixed settings in each phase."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.rendered import Drawing, Rendered, Table
from pmtwin.figures.style import PAGE_IN

BASELINE = (15, 15)
DIAGONAL = (1, 2, 4, 6, 8, 10, 12, 15, 18, 22, 27, 32)
LINEAR_BELOW = 10.0
"""Rewards within this of zero are shaded linearly, larger losses by their logarithm."""


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `fixed-pools`."""
    data = results["fixed-pools"]
    return Rendered([_drawing(data)], [_best_table(data), _all_table(data)])


def _all_table(data: dict) -> Table:
    rows = []
    for phase, grid in data["phases"].items():
        settings = [("none", None), *map(tuple, data["pools"])]
        for (interactive, batch), entry in zip(settings, [grid["none"], *grid["fixed"]], strict=True):
            rows.append((int(phase), interactive, batch, *entry["reward"].values(), *_rest(entry)))
    header = ("phase", "interactive_threads", "batch_threads", "min", "q1", "median", "q3", "max", "mean")
    header += ("sla_attainment", "p99_us", "throughput_ops")
    return Table("fixed-pools", "Reward quartiles of all fixed settings", header, rows, shown=False)


def _rest(entry: dict) -> tuple:
    return tuple(entry[name] for name in ("mean", "sla_attainment", "p99_us", "throughput_ops"))


def _best_table(data: dict) -> Table:
    pools = [tuple(pair) for pair in data["pools"]]
    rows = []
    for phase, grid in data["phases"].items():
        best = int(np.argmax([entry["mean"] for entry in grid["fixed"]]))
        equal = [(f"{i},{b}", grid["fixed"][k]) for k, (i, b) in enumerate(pools) if i == b and i in DIAGONAL]
        chosen = [(f"best: {pools[best][0]},{pools[best][1]}", grid["fixed"][best]), *equal, ("none", grid["none"])]
        rows += [(int(phase), name, *entry["reward"].values(), entry["sla_attainment"]) for name, entry in chosen]
    return Table(
        "fixed-pools-shown",
        "Reward quartiles over windows: the best setting of the grid, equal pools, and no middleware",
        ("phase", "pools", "min", "Q1", "median", "Q3", "max", "SLA met"),
        rows,
        "Tables D.4 to D.7 of the thesis are the same for its machine; their values are not at hand here.",
    )


def _drawing(data: dict) -> Drawing:
    import matplotlib.pyplot as plt
    from matplotlib.colors import SymLogNorm

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


def _mark(axes, grid: np.ndarray, sizes: np.ndarray) -> None:
    i, j = np.unravel_index(np.nanargmax(grid), grid.shape)
    axes.plot(j + 0.5, i + 0.5, marker="*", color="black", markersize=8, markeredgecolor="white", markeredgewidth=0.6)
    if set(BASELINE) <= set(sizes.tolist()):
        i, j = (np.searchsorted(sizes, size) for size in BASELINE)
        axes.plot(j + 0.5, i + 0.5, marker="s", markersize=6, markerfacecolor="none", markeredgecolor="white")
