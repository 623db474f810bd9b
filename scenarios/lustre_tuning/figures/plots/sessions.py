"""Figure 4: the file server without tuning and with it, in three runs with one network."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.numbers import with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREY, PAGE_IN
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.sessions import SESSIONS, TUNED
from pmtwin.scenarios.lustre_tuning.figures.plots.parts import (
    IN_SAMPLE,
    MINUTES,
    Row,
    counted_seeds,
    gain,
    groups,
    stated,
    throughput,
)
from pmtwin.scenarios.lustre_tuning.published import SESSION_H
from pmtwin.scenarios.lustre_tuning.published import SESSIONS as PUBLISHED
from pmtwin.sim.numerics.statistics import Interval

LEFT_OUT = 10
"""Minutes at the begin of a run that do not count: the setting moves from its start."""


def render(results: dict) -> Rendered:
    """Throughput by session, and gains beside the published range."""
    import matplotlib.pyplot as plt

    rows = results["sessions"]["runs"]
    names = [session.name for session in SESSIONS]
    gains = {name: gain(_values(rows, name, TUNED), _values(rows, name, FIXED)) for name in names}
    figure, (levels, over) = plt.subplots(1, 2, figsize=(PAGE_IN, 2.8))
    groups(
        levels,
        names,
        {
            "Lustre's default": (GREY, lambda name: throughput(_values(rows, name, FIXED))),
            "network of the training": (BLUE, lambda name: throughput(_values(rows, name, TUNED))),
        },
    )
    groups(over, names, {"": (BLUE, lambda name: gains[name])})
    low, high = PUBLISHED.value  # type: ignore[misc]  # a range
    over.axhspan(low, high, color="0.85", zorder=0, label="published range")
    over.axhline(0.0, color="0.4", linewidth=0.8)
    levels.set_ylabel("throughput (MB/s)")
    over.set_ylabel("over the default (%)")
    for axes in (levels, over):
        axes.tick_params(axis="x", labelsize=6.5)
    handles = [*levels.get_legend_handles_labels()[0], *over.get_legend_handles_labels()[0][:1]]
    labels = [*levels.get_legend_handles_labels()[1], "published range"]
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    hours = len(rows[0]["minutes"]) / MINUTES
    length = f"{hours:g} h without tuning, then {hours:g} h with it"
    length += ", as in the paper" if hours == SESSION_H else f"; in the paper {SESSION_H:g} h each"
    caption = (
        f"Figure 4: file server, one network a seed, without exploration or learning. {length}; the first {LEFT_OUT} "
        f"minutes of each do not count. What moves the data is assumed. {counted_seeds(rows)}. {IN_SAMPLE}"
    )
    cells: list[tuple[Cell, ...]] = [
        (
            name,
            *(with_interval(throughput(_values(rows, name, policy))) for policy in (FIXED, TUNED)),
            with_interval(gains[name]),
        )
        for name in names
    ]
    alt = "; ".join(f"{name}: {with_interval(value)} %" for name, value in gains.items())
    header = ("session", "default (MB/s)", "with the network (MB/s)", "over the default (%)")
    return Rendered(
        [Drawing("lustre-4", figure, caption, alt)],
        [Table("lustre-4", "File server in three later runs", header, cells, IN_SAMPLE)],
        [stated(PUBLISHED, alt, _within(list(gains.values()), low, high))],
    )


def _values(rows: list[Row], session: str, policy: str) -> list[np.ndarray]:
    """Throughput of each minute of each seed that counts."""
    runs = [row for row in rows if (row["label"], row["policy"]) == (session, policy)]
    return [np.array(row["minutes"][LEFT_OUT:]) for row in sorted(runs, key=lambda row: row["seed"])]


def _within(gains: list[Interval], low: float, high: float) -> bool:
    return all(low <= value["mean"] <= high for value in gains)
