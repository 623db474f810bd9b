"""Learning curves of a sweep: share of windows that meet all goals over training, with intervals over seeds."""

from __future__ import annotations

import csv
import io
import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING

from pmtwin.figures.drawing.style import PAGE_IN, PALETTE, png_bytes, styled, svg_bytes
from pmtwin.sim.files.writing import write_atomically, write_text
from pmtwin.sim.numerics.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STAGE = re.compile(r"(round|generation)_(\d+)")
SEED = "seed"
SHARE = "share_meeting_goals"
HEADER = ("training", "stage", "number", "runs", "mean", "low", "high")
BAND = 0.18
"""Opacity of the bands."""


def learning_curve(record: Mapping) -> tuple[str, dict[int, float]]:
    """Share of windows that meet all goals by stage of a training, from its record.

    Returns:
        (kind of stage, number of the stage -> share). Kind `episode`: share of the greedy policy in the trial after so
        many episodes, as a mean over contexts; `round`: share of the windows of the round; `generation`: share of the
        best candidate. ("", {}) for a training that records no shares.
    """
    if "trials" in record:
        trials = record["trials"]
        return "episode", {trial["after_episode"]: statistics.fmean(trial[SHARE].values()) for trial in trials}
    matches = {STAGE.fullmatch(name): share for name, share in record.get("attainment", {}).items()}
    stages = {int(match[2]): (match[1], share) for match, share in matches.items() if match}
    stage = next((name for name, _ in stages.values()), "")
    return stage, {number: share for number, (_, share) in stages.items()}


def curve_rows(runs: list[tuple[Mapping[str, object], Mapping]]) -> list[tuple]:
    """Rows below `HEADER`, with 95 % confidence intervals over seeds; low and high are None for a single run.

    Args:
        runs: (varied option -> value, record of the training) of each run.
    """
    shares: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for values, record in runs:
        name = ", ".join(f"{key} {value}" for key, value in values.items() if key != SEED) or "all runs"
        stage, curve = learning_curve(record)
        for number, share in curve.items():
            shares[name, stage, number].append(share)
    rows = []
    for (name, stage, number), samples in shares.items():
        interval = mean_interval(samples)
        low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (interval["low"], interval["high"]))
        rows.append((name, stage, number, len(samples), interval["mean"], low, high))
    return rows


def write_curves(rows: list[tuple], output: Path) -> None:
    """Write `curves.csv`, `curves.svg` and `curves.png` into the sweep's folder; nothing without rows."""
    if not rows:
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([HEADER, *rows])
    write_text(output / "curves.csv", text.getvalue(), "--output")
    with styled():
        figure = draw(rows)
        for suffix, content in (("svg", svg_bytes(figure)), ("png", png_bytes(figure))):
            write_atomically(output / f"curves.{suffix}", methodcaller("write", content), "wb", "--output")


def draw(rows: list[tuple]):
    """Line and band of each combination of varied options other than the seed, in a panel for each kind of stage."""
    import matplotlib.pyplot as plt

    stages = list(dict.fromkeys(row[1] for row in rows))
    names = list(dict.fromkeys(row[0] for row in rows))
    figure, panels = plt.subplots(1, len(stages), figsize=(PAGE_IN, 3.0), sharey=True, squeeze=False)
    for axes, stage in zip(panels[0], stages, strict=True):
        for place, name in enumerate(names):
            line = [row for row in rows if row[:2] == (name, stage)]
            if not line:
                continue
            colour = PALETTE[place % len(PALETTE)]
            numbers = [row[2] for row in line]
            axes.plot(numbers, [100.0 * row[4] for row in line], color=colour, marker="o", ms=3, label=name)
            banded = [row for row in line if row[5] is not None]
            ends = ([100.0 * row[end] for row in banded] for end in (5, 6))
            axes.fill_between([row[2] for row in banded], *ends, color=colour, alpha=BAND, lw=0)
        axes.set(xlabel=stage, ylim=(0, None))
        if stage != "episode":
            axes.set_xticks(sorted({row[2] for row in rows if row[1] == stage}))
    panels[0][0].set_ylabel("windows that keep all goals (%)")
    figure.legend(*_entries(panels[0]), loc="outside right upper")
    return figure


def _entries(panels: Iterable[Axes]) -> tuple[list, list[str]]:
    """Handles and labels of the legend, one for each name."""
    lines = {label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    return list(lines.values()), list(lines)
