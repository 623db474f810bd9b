"""The map of trust: how wrong predictions of unseen configurations are, by operation, pattern, size and threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from calibrate.build import SIZE_CLASSES, THREAD_CLASSES, Calibration

PATTERNS = ("random", "sequential")
POOR_PERCENT, GOOD_PERCENT = 5.0, 2.5
"""A region whose 90th percentile of error is above the first is marked; below the second it is as good as repeating."""

FEW = 5
"""Fewer configurations than this say little of a region."""


@dataclass(frozen=True)
class Region:
    """Errors (in %, of log bandwidth's exponential) of one operation, pattern, class of sizes and of threads.

    Args:
        configurations: judged ones in the region.
        error_percent: 90th percentile; NaN without a configuration.
    """

    operation: str
    pattern: str
    size: str
    threads: str
    configurations: int
    error_percent: float

    @property
    def poor(self) -> bool:
        """One configuration in ten misses by more than `POOR_PERCENT`."""
        return bool(self.error_percent > POOR_PERCENT)


def regions(calibration: Calibration) -> list[Region]:
    """All regions of all operations that were judged on unseen configurations."""
    found = []
    for operation, each in calibration.operations.items():
        unseen = each.unseen_configurations
        if unseen is None:
            continue
        c, error = each.configurations.take(unseen.index), 100.0 * np.abs(np.expm1(unseen.full))
        for pattern in PATTERNS:
            for smallest, above, size in SIZE_CLASSES:
                for fewest, more, threads in THREAD_CLASSES:
                    inside = (c.pattern == pattern) & (c.access_size_bytes >= smallest) & (c.access_size_bytes < above)
                    inside &= (c.threads >= fewest) & (c.threads < more)
                    worst = float(np.quantile(error[inside], 0.9)) if np.any(inside) else float("nan")
                    found.append(Region(operation, pattern, size, threads, int(inside.sum()), worst))
    return found


def verdict(found: list[Region]) -> tuple[str, list[str]]:
    """One sentence, and the regions not to trust by name, worst first."""
    judged = [region for region in found if region.configurations]
    if not judged:
        return "Nothing was kept aside: no error is known.", []
    poor = sorted((region for region in judged if region.poor), key=lambda region: -region.error_percent)
    share = sum(region.configurations for region in judged if not region.poor) / sum(
        region.configurations for region in judged
    )
    empty = len(found) - len(judged)
    sentence = (
        f"{share:.0%} of the judged configurations lie in regions where nine in ten predictions are within "
        f"{POOR_PERCENT:g} %. {len(poor)} of {len(judged)} regions are worse; {empty} more were never measured: there "
        "the mechanism answers alone."
    )
    names = [
        f"{region.operation} {region.pattern}, {region.size}, {region.threads}: one in ten misses by more than "
        f"{region.error_percent:.1f} %" + ("" if region.configurations >= FEW else f" (only {region.configurations})")
        for region in poor
    ]
    return sentence, names


def draw_map(calibration: Calibration, figure: Figure) -> None:
    """One panel for each operation and pattern: sizes down, threads across, the 90th percentile in each field."""
    found = regions(calibration)
    operations = list(dict.fromkeys(region.operation for region in found))
    panels = figure.subplots(len(PATTERNS), len(operations), sharex=True, sharey=True, squeeze=False)
    threads, sizes = [name for *_, name in THREAD_CLASSES], [name for *_, name in SIZE_CLASSES]
    by_place = {(r.operation, r.pattern, r.size, r.threads): r for r in found}
    for row, pattern in enumerate(PATTERNS):
        for column, operation in enumerate(operations):
            axes = panels[row][column]
            grid = [[by_place[operation, pattern, size, count] for count in threads] for size in sizes]
            _panel(axes, grid)
            axes.set_title(f"{operation}, {pattern}", fontsize=9)
            axes.set_xticks(
                range(len(threads)),
                [name.split(" ")[0] if " to" not in name else name.replace(" to ", "-") for name in threads],
                fontsize=8,
            )
            axes.set_yticks(range(len(sizes)), sizes, fontsize=8)
    figure.supxlabel("threads (the last: 13 and more)", fontsize=9)


def _panel(axes, grid: list[list[Region]]) -> None:
    for y, line in enumerate(grid):
        for x, region in enumerate(line):
            known = region.configurations > 0
            face = _colour(region.error_percent) if known else "white"
            hatch = None if known else "////"
            axes.add_patch(_field(x, y, face, hatch))
            if known:
                weight = "bold" if region.poor else "normal"
                axes.text(x, y, f"{region.error_percent:.1f}", ha="center", va="center", fontsize=9, weight=weight)
    axes.set(xlim=(-0.5, len(grid[0]) - 0.5), ylim=(len(grid) - 0.5, -0.5))
    axes.tick_params(length=0)


def _field(x: int, y: int, face: str, hatch: str | None):
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="0.75", hatch=hatch, lw=0.8)


def _colour(error_percent: float) -> str:
    """Three steps, told apart by lightness too: nothing to fear, take care, do not trust."""
    if error_percent > POOR_PERCENT:
        return "#e8743b"
    return "#fbdcc8" if error_percent > GOOD_PERCENT else "#eef3f7"
