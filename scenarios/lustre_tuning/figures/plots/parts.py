"""Common parts of the figures: readings of runs, gains over Lustre's default, what the numbers rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Statement
from pmtwin.figures.drawing.style import BLUE, GREEN, GREY, ORANGE, PINK, SKY
from pmtwin.scenarios.comparison.gains import gain_over
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import BEST, CLIMBING, CLIMBING_H, FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import DQN, PAPER
from pmtwin.scenarios.lustre_tuning.published import Claim
from pmtwin.sim.numerics.series import series_interval
from pmtwin.sim.numerics.statistics import FEWEST, Interval, mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = dict[str, Any]

MINUTES = 60
CLOSE = 0.10
"""A number that differs by at most this share counts as the published one."""

CALLED = {FIXED: "Lustre's default", BEST: "best fixed", CLIMBING: "hill climbing", DQN: "dqn", PAPER: "dqn as printed"}
COLOURS = {FIXED: GREY, BEST: GREEN, CLIMBING: ORANGE, PAPER: PINK}
EARLY, LATE = SKY, BLUE
"""Colours of the two readings of a training."""

IN_SAMPLE = (
    "The share of each disk over which data lie (--spread) was chosen with the gains of figure 2 in view; foreign "
    "traffic was fitted to the noise of the authors' log. Nothing else here sets a parameter."
)


def name_of(row: Row) -> str:
    """The policy of a run, or its label."""
    return str(row["label"] or row["policy"])


def chosen(rows: Iterable[Row], workload: str, name: str) -> list[Row]:
    """The runs of a policy on a workload, by seed."""
    runs = [row for row in rows if row["workload"] == workload and name_of(row) == name]
    return sorted(runs, key=lambda row: row["seed"])


def readings(rows: Sequence[Row], begin_h: float, hours: float) -> list[np.ndarray]:
    """Throughput of each minute over some hours of each run, in MB/s."""
    begin = round(begin_h * MINUTES)
    return [np.array(row["minutes"][begin : begin + round(hours * MINUTES)]) for row in rows]


def begin_h(name: str) -> float:
    """Hours before the reading of a control."""
    return CLIMBING_H if name == CLIMBING else 0.0


def gain(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> Interval:
    """Throughput over another's, less 1, in %; over runs, or of too few runs over their minutes (`gain_over`).

    Args:
        ours, theirs: minutes of the runs of the same seeds.
    """
    share = gain_over(ours, theirs[: len(ours)])
    assert share is not None  # throughput is positive
    low, high = (None if share[end] is None else 100.0 * share[end] for end in ("low", "high"))
    return {"mean": 100.0 * share["mean"], "low": low, "high": high}


def bar(axes: Axes, place: float, value: Interval, width: float, colour: str, label: str | None) -> None:
    """A bar with its 95 % interval."""
    axes.bar(place, value["mean"], width, color=colour, label=label)
    if value["low"] is not None and value["high"] is not None:
        axes.vlines(place, value["low"], value["high"], color="black", linewidth=0.8)


def groups(
    axes: Axes, names: Sequence[str], series: Mapping[str, tuple[str, Callable[[str], Interval | None]]]
) -> None:
    """A group of bars for each name, one for each of the series: label -> (colour, name -> value)."""
    width = 0.85 / len(series)
    for count, (label, (colour, value)) in enumerate(series.items()):
        at, labelled = width * (count - 0.5 * (len(series) - 1)), False
        for place, name in enumerate(names):
            height = value(name)
            if height is not None:
                bar(axes, place + at, height, width, colour, None if labelled else label)
                labelled = True
    axes.set_xticks(range(len(names)), names)
    axes.grid(axis="x", visible=False)


def throughput(runs: Sequence[np.ndarray]) -> Interval:
    """Mean with its interval, over runs, or of too few runs over the minutes of the first."""
    return mean_interval([run.mean() for run in runs]) if len(runs) >= FEWEST else series_interval(runs[0])


def stated(claim: Claim, computed: str, holds: bool | None, difference: float | None = None) -> Statement:
    """A published number beside what came out."""
    ends = claim.value if isinstance(claim.value, tuple) else (claim.value,)
    value = " to ".join(number(end) for end in ends)
    text = f"{claim.about}: {claim.claim}: {value} {claim.unit}".rstrip()
    return Statement(
        claim.place, text, computed, holds, "" if difference is None else number(difference), used=claim.used
    )


def said(place: str, text: str, computed: str, holds: bool | None) -> Statement:
    """A published sentence without a number; none of them sets a parameter."""
    return Statement(place, text, computed, holds, used=False)


def seeds_of(rows: Sequence[Row]) -> int:
    """Number of seeds."""
    return len({row["seed"] for row in rows})


def counted_seeds(rows: Sequence[Row]) -> str:
    """What the intervals rest on."""
    count = seeds_of(rows)
    if count >= FEWEST:
        return f"mean and 95 % interval of {count} seeds"
    return f"{count} seed(s), 95 % intervals over merged minutes, which say nothing about other seeds"
