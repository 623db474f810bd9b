"""What the paper leaves open, and what it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.numbers import with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREEN, ORANGE, PAGE_IN
from pmtwin.scenarios.lustre_tuning.figures.experiments.assumed import (
    FIXED_SPECS,
    LEARNING,
    LEAST_SETTLED_H,
    SYSTEMS,
    WINDOWS,
    WORKLOADS,
)
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import LONGEST
from pmtwin.scenarios.lustre_tuning.figures.plots.parts import MINUTES, Row, counted_seeds, gain, throughput
from pmtwin.sim.numerics.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALLEST, *WIDER = WINDOWS
COLOURS = dict(zip(WIDER, (ORANGE, BLUE, GREEN), strict=True))
JUDGED_SHARE = 0.25
"""Last part of a training that is read."""


def render(results: dict) -> Rendered:
    """Gains of wider windows by assumption, and of networks that learn otherwise."""
    import matplotlib.pyplot as plt

    systems, learned = results["assumed"]["runs"], results["learning"]["runs"]
    height = 0.17 * (len(SYSTEMS) + len(LEARNING)) + 1.6
    figure, (upper, lower) = plt.subplots(
        2, 2, figsize=(PAGE_IN, height), height_ratios=(len(SYSTEMS) + 1, len(LEARNING) + 1)
    )
    cells: list[tuple[Cell, ...]] = []
    for axes, workload in zip(upper, WORKLOADS, strict=True):
        cells += _systems(axes, systems, workload)
    upper[1].set_yticklabels([])
    learned_cells = _learning(lower[0], learned)
    lower[1].set_axis_off()
    handles, labels = upper[0].get_legend_handles_labels()
    lower[1].legend(handles, labels, loc="center", title=f"over a window of {SMALLEST}")
    caption = (
        f"Above: fixed windows without a limit of the rate, over a window of {SMALLEST}, with one thing assumed "
        f"otherwise at a time; {counted_seeds(systems)}. Below: networks that learn otherwise on {LONGEST}, over "
        f"Lustre's default, in the last {100 * JUDGED_SHARE:.0f} % of {len(learned[0]['minutes']) / MINUTES:g} h; "
        f"{counted_seeds(learned)}. --spread 1 was chosen with published gains in view."
    )
    alt = "; ".join(f"{name}, {workload}: {wide} % at {WINDOWS[2]}" for workload, name, _, _, wide, _ in cells)
    widths = (f"{window} over {SMALLEST} (%)" for window in WIDER)
    return Rendered(
        [Drawing("lustre-assumed", figure, caption, alt)],
        [
            Table("lustre-assumed", "Assumed otherwise", ("workload", "change", "MB/s of the default", *widths), cells),
            Table("lustre-learning", "Learned otherwise", ("change", "policy", "over the default (%)"), learned_cells),
        ],
    )


def _systems(axes: Axes, rows: list[Row], workload: str) -> list[tuple[Cell, ...]]:
    cells: list[tuple[Cell, ...]] = []
    places = np.arange(len(SYSTEMS))[::-1]
    for place, change in zip(places, SYSTEMS, strict=True):
        runs = {window: _minutes(rows, workload, change.name, spec) for window, spec in FIXED_SPECS.items()}
        if not runs[SMALLEST]:
            continue
        gains = [gain(runs[window], runs[SMALLEST]) for window in WIDER]
        for window, value in zip(WIDER, gains, strict=True):
            label = f"window {window}" if change is SYSTEMS[0] else None
            _mark(axes, place, value, COLOURS[window], label)
        texts = [with_interval(value) for value in gains]
        cells.append((workload, change.name, with_interval(throughput(runs[SMALLEST])), *texts))
    _labelled(axes, places, [change.name for change in SYSTEMS], workload)
    return cells


def _learning(axes: Axes, rows: list[Row]) -> list[tuple[Cell, ...]]:
    hours = len(rows[0]["minutes"]) / MINUTES
    begin = round((1.0 - JUDGED_SHARE) * hours * MINUTES)
    default = _minutes(rows, LONGEST, "", FIXED, begin)
    cells: list[tuple[Cell, ...]] = []
    places = np.arange(len(LEARNING))[::-1]
    for place, (name, spec) in zip(places, LEARNING.items(), strict=True):
        value = gain(_minutes(rows, LONGEST, name, spec, begin), default)
        _mark(axes, place, value, BLUE, None)
        cells.append((name, spec, with_interval(value)))
    _labelled(axes, places, list(LEARNING), "networks")
    axes.set_xlabel("over the default (%)")
    return cells


def _minutes(rows: list[Row], workload: str, label: str, spec: str, begin: int | None = None) -> list[np.ndarray]:
    """Throughput of the minutes that count, by seed."""
    first = round(LEAST_SETTLED_H * MINUTES) if begin is None else begin
    runs = [row for row in rows if (row["workload"], row["label"], row["policy"]) == (workload, label, spec)]
    return [np.array(row["minutes"][first:]) for row in sorted(runs, key=lambda row: row["seed"])]


def _mark(axes: Axes, place: float, value: Interval, colour: str, label: str | None) -> None:
    if value["low"] is not None and value["high"] is not None:
        axes.hlines(place, value["low"], value["high"], color=colour, linewidth=0.8)
    axes.plot(value["mean"], place, "o", color=colour, markersize=3.5, label=label)


def _labelled(axes: Axes, places: np.ndarray, names: list[str], title: str) -> None:
    axes.axvline(0.0, color="0.5", linewidth=0.8, zorder=0)
    axes.set_yticks(places, names, fontsize=6.5)
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_title(title)
