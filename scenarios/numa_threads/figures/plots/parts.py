"""Common parts of the figures: colours of policies, and bars of them side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.rendered import Table
from pmtwin.figures.drawing.style import BLUE, GREY, ORANGE
from pmtwin.scenarios.numa_threads.figures.claims import CALLED, LINUX, RULE, SMART, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {LINUX: GREY, RULE: ORANGE, SMART: BLUE}
BAR = 0.26


def means(runs: list[dict], measure: str) -> dict[str, dict[str, float]]:
    """Workload -> policy -> mean over seeds with the profile."""
    values: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        if run["sample"] is None:
            values.setdefault(run["workload"], {}).setdefault(run["policy"], []).append(run[measure])
    return {name: {spec: float(np.mean(each)) for spec, each in parts.items()} for name, parts in values.items()}


def bars(axes: Axes, values: Mapping[str, Mapping[str, float]], workloads: Sequence[str]) -> None:
    """A group of bars for each workload, one for each policy."""
    for place, (spec, colour) in enumerate(COLOURS.items()):
        heights = [values[name][spec] for name in workloads]
        axes.bar(np.arange(len(workloads)) + BAR * (place - 1), heights, BAR, color=colour, label=CALLED[spec])
    axes.set_xticks(range(len(workloads)), workloads)
    axes.grid(axis="x", visible=False)


def ratios(axes: Axes, rows: list[Shown], labels: Sequence[str]) -> None:
    """Published and computed ratios of claims, one below the other."""
    places = np.arange(len(rows))[::-1]
    ends = np.array([each.ends for each in rows]).T
    axes.hlines(places, *ends, color=BLUE, linewidth=1.2)
    axes.plot([each.mean for each in rows], places, "o", color=BLUE, markersize=4, label="here", zorder=3)
    published = [each.claim.ratio for each in rows]
    axes.plot(published, places, "D", color="black", markerfacecolor="white", markersize=6, label="published")
    axes.axvline(1.0, color="0.5", linewidth=0.8)
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="y", visible=False)


def data(runs: list[dict]) -> Table:
    """All programs."""
    header = tuple(runs[0])
    return Table(
        "numa-programs", "All programs", header, [tuple(run[name] for name in header) for run in runs], shown=False
    )
