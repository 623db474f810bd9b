"""The map of trust: how wrong predictions of unseen configurations are, by operation, pattern, size and threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.error_tables import SIZE_CLASSES, THREAD_CLASSES, regions_of
from pmtwin.sim.common.number_forms import percent

PATTERNS = ("random", "sequential")
POOR_PERCENT, GOOD_PERCENT = 5.0, 2.5
"""Limits of a region's 90th percentile of error: above the first the map says not to trust predictions, up to the
second it says to trust them."""

FEW = 5
"""Number of configurations below which the map never says to trust a region."""


@dataclass(frozen=True)
class Region:
    """Errors of one operation, pattern, class of sizes and class of thread numbers.

    Args:
        configurations: number of judged configurations in the region.
        error_percent: 90th percentile of the absolute error of bandwidth; NaN without a configuration.
    """

    operation: str
    pattern: str
    size: str
    threads: str
    configurations: int
    error_percent: float

    @property
    def poor(self) -> bool:
        """Whether one configuration in ten misses by more than `POOR_PERCENT`."""
        return bool(self.error_percent > POOR_PERCENT)


def regions(calibration: Calibration) -> list[Region]:
    """All regions of all operations that were judged on unseen configurations."""
    result = []
    for operation, each in calibration.operations.items():
        unseen = each.unseen_configurations
        if unseen is None:
            continue
        c, error = each.configurations.take(unseen.index), 100.0 * np.abs(np.expm1(unseen.full))
        for pattern in PATTERNS:
            for size, threads, in_class in regions_of(c):
                inside = in_class & (c.pattern == pattern)
                worst = float(np.quantile(error[inside], 0.9)) if np.any(inside) else float("nan")
                result.append(Region(operation, pattern, size, threads, int(inside.sum()), worst))
    return result


def verdict(judged_regions: list[Region]) -> tuple[str, list[str]]:
    """A sentence, and a line for each region not to trust, worst first: the error that one in ten exceeds, the name."""
    judged = [region for region in judged_regions if region.configurations]
    if not judged:
        return "Nothing was kept aside: no error is known.", []
    poor = sorted((region for region in judged if region.poor), key=lambda region: -region.error_percent)
    share = sum(region.configurations for region in judged if not region.poor) / sum(
        region.configurations for region in judged
    )
    empty = len(judged_regions) - len(judged)
    sentence = (
        f"{percent(share, 0)} of the judged configurations lie in regions where nine in ten predictions are within "
        f"{POOR_PERCENT:g} %. {len(poor)} of {len(judged)} regions are worse; {empty} were never measured."
    )
    names = [
        f"{region.error_percent:.1f} %: {region.operation} {region.pattern}, {region.size}, {region.threads}"
        + ("" if "thread" in region.threads else " threads")
        + ("" if region.configurations >= FEW else f" (only {region.configurations})")
        for region in poor
    ]
    return sentence, names


def draw_map(calibration: Calibration, figure: Figure) -> None:
    """A panel for each operation and pattern: a row for each class of sizes, a column for each class of threads."""
    mapped = regions(calibration)
    operations = list(dict.fromkeys(region.operation for region in mapped))
    panels = figure.subplots(len(PATTERNS), len(operations), sharex=True, sharey=True, squeeze=False)
    sizes, threads = [name for *_, name in SIZE_CLASSES], [name for *_, name in THREAD_CLASSES]
    by_place = {(r.operation, r.pattern, r.size, r.threads): r for r in mapped}
    for row, pattern in enumerate(PATTERNS):
        for column, operation in enumerate(operations):
            axes = panels[row][column]
            _panel(axes, [[by_place[operation, pattern, size, count] for count in threads] for size in sizes])
            axes.set_title(f"{operation}, {pattern}", fontsize=9)
            axes.set_xticks(range(len(threads)), [_short(name) for name in threads], fontsize=8)
            axes.set_yticks(range(len(sizes)), sizes, fontsize=8)
    figure.supxlabel("threads", fontsize=9)
    figure.legend(handles=_legend(), loc="outside upper center", ncols=4, frameon=False, fontsize=9)


def _short(name: str) -> str:
    """`13 and more` -> 13+, `2 to 4` -> 2-4, `1 thread` -> 1."""
    return name.replace(" and more", "+").replace(" to ", "-").removesuffix(" thread")


def _legend() -> list[Patch]:
    good, middling, poor = (colour(error) for error in (0.0, POOR_PERCENT, POOR_PERCENT + 1.0))

    def patch(face: str, label: str, hatch: str | None = None) -> Patch:
        return Patch(facecolor=face, label=label, hatch=hatch, edgecolor="0.6", lw=0.8)

    return [
        patch(good, f"up to {GOOD_PERCENT:g} %: trust it"),
        patch(middling, f"up to {POOR_PERCENT:g} %, or n below {FEW}: with care"),
        patch(poor, f"above {POOR_PERCENT:g} %: do not trust it"),
        patch("white", "never measured: the mechanism alone", "////"),
    ]


def _panel(axes: Axes, grid: list[list[Region]]) -> None:
    for y, line in enumerate(grid):
        for x, region in enumerate(line):
            known = region.configurations > 0
            face = region_colour(region) if known else "white"
            place = (x - 0.5, y - 0.5)
            axes.add_patch(
                Rectangle(place, 1, 1, facecolor=face, edgecolor="0.75", hatch=None if known else "////", lw=0.8)
            )
            if known:
                weight = "bold" if region.poor else "normal"
                few = f"\nn = {region.configurations}" if region.configurations < FEW else ""
                text = f"{region.error_percent:.1f}"
                axes.text(x, y, text + few, ha="center", va="center", fontsize=7 if few else 9, weight=weight)
    if not any(region.configurations for line in grid for region in line):
        box = {"facecolor": "white", "edgecolor": "0.75"}
        axes.text(len(grid[0]) / 2 - 0.5, len(grid) / 2 - 0.5, "refused", ha="center", va="center", bbox=box)
    axes.set(xlim=(-0.5, len(grid[0]) - 0.5), ylim=(len(grid) - 0.5, -0.5))
    axes.tick_params(length=0)


def region_colour(region: Region) -> str:
    """Colour of a field of the map; a region with few configurations never has that of trust."""
    return colour(region.error_percent if region.configurations >= FEW else max(region.error_percent, POOR_PERCENT))


def colour(error_percent: float) -> str:
    """Colour of an error, in three steps that differ in lightness too: trust, caution, no trust."""
    if error_percent > POOR_PERCENT:
        return "#e8743b"
    return "#fbdcc8" if error_percent > GOOD_PERCENT else "#eef3f7"
