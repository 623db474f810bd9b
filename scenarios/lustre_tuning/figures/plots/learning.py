"""Figures 5 and 6: prediction error and throughput over a long training."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREY, PAGE_IN, PINK
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.runs import LOSS_MINUTES
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import DQN, LONGEST, PAPER
from pmtwin.scenarios.lustre_tuning.figures.plots.gains import Hours
from pmtwin.scenarios.lustre_tuning.figures.plots.parts import (
    CALLED,
    IN_SAMPLE,
    MINUTES,
    Row,
    bar,
    chosen,
    counted_seeds,
    gain,
    readings,
    said,
    throughput,
)
from pmtwin.scenarios.lustre_tuning.published import COMPARABLE, FALLING, LONG_H

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WARM_H = 1.0
"""Hours after which the error is to fall."""

COMPARABLE_PERCENT = 10.0


def render_5(results: dict) -> Rendered:
    """Root of the mean squared error of action values, with both sets of hyperparameters."""
    import matplotlib.pyplot as plt

    shown = {DQN: (results["longest"]["runs"], BLUE), PAPER: (results["printed"]["runs"], PINK)}
    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.6))
    cells: list[tuple[str, int, float, float, bool]] = []
    for axes, (spec, (rows, colour)) in zip(panels, shown.items(), strict=True):
        for row in rows:
            hours, error = _errors(row)
            axes.plot(hours, error, color=colour, linewidth=0.8)
            cells.append((CALLED[spec], row["seed"], *_falls(hours, error)))
        axes.set(title=CALLED[spec], xlabel="hours of training", ylim=(0, None), xlim=(0, None))
    panels[0].set_ylabel("error of action values (reward units)")
    caption = (
        f"Figure 5: root of the mean squared error of the optimiser's minibatches, {LONGEST}, means of {LOSS_MINUTES} "
        f"minutes, a line for each seed. Rewards differ: levels on the left, changes on the right, in units of the "
        f"first windows' spread. {IN_SAMPLE}"
    )
    falling = [falls for *_, falls in cells]
    text = "; ".join(f"{name}, seed {seed}: {number(first)}, {number(last)}" for name, seed, first, last, _ in cells)
    header = ("policy", "seed", f"error, first {WARM_H:g} h", "error, last quarter", "falls")
    return Rendered(
        [Drawing("lustre-5", figure, caption, text)],
        [Table("lustre-5", "Error while learning", header, cells)],
        [said("4.4, figure 5", FALLING, f"in {sum(falling)} of {len(falling)} runs: {text}", all(falling))],
    )


def _errors(row: Row) -> tuple[np.ndarray, np.ndarray]:
    """(hours, root mean squared error) where the agent has learned."""
    hours = (np.arange(len(row["losses"])) + 1) * LOSS_MINUTES / MINUTES
    has = np.array([loss is not None for loss in row["losses"]])
    return hours[has], np.sqrt([loss for loss in row["losses"] if loss is not None])


def _falls(hours: np.ndarray, error: np.ndarray) -> tuple[float, float, bool]:
    """(error of the first hour, of the last quarter, whether that is less)."""
    first, last = float(error[hours <= WARM_H].mean()), float(error[len(error) * 3 // 4 :].mean())
    return round(first, 4), round(last, 4), last < first


def render_6(results: dict) -> Rendered:
    """Throughput of each hour of a training, and the whole beside measurements of the default."""
    import matplotlib.pyplot as plt

    trained = results["longest"]["runs"]
    measured = Hours(**results["controls-random"]["hours"])
    defaults = chosen(results["controls-random"]["runs"], LONGEST, FIXED)
    begins = (0.0, *measured.trained)
    baselines = {f"default, hour {begin:g}": readings(defaults, begin, measured.judged) for begin in begins}
    default, whole = ([np.array(row["minutes"]) for row in rows] for rows in (defaults, trained))
    figure, panels = plt.subplot_mosaic([["hours", "hours", "bars"]], figsize=(PAGE_IN, 2.7))
    _by_hour(panels["hours"], trained, float(np.mean(default)))
    cells = _bars(panels["bars"], baselines, whole)
    hours = len(trained[0]["minutes"]) / MINUTES
    over = gain(whole, default)
    length = f"{hours:g} h" if hours == LONG_H else f"{hours:g} h (in the paper {LONG_H:g} h)"
    caption = (
        f"Figure 6: throughput of each hour of a training of {length}, {LONGEST} (the paper does not say which "
        f"workload), mean and range of the seeds, beside the default. Bars: the default at three times, for "
        f"{measured.judged:g} h each, and the whole training; {counted_seeds(trained)}. {IN_SAMPLE}"
    )
    alt = f"Throughput over the whole training is {with_interval(over)} % over the default's"
    first = gain([run[:MINUTES] for run in whole], [run[:MINUTES] for run in default])
    statement = said(
        "4.5, figure 6", COMPARABLE,
        f"{with_interval(over, unit=' %')} over the default; in the first hour {with_interval(first, unit=' %')}",
        abs(over["mean"]) <= COMPARABLE_PERCENT,
    )  # fmt: skip
    return Rendered(
        [Drawing("lustre-6", figure, caption, alt)],
        [Table("lustre-6", "Throughput while learning", ("run", "MB/s"), cells)],
        [statement],
    )


def _by_hour(axes: Axes, trained: list[Row], default: float) -> None:
    hourly = np.array([np.reshape(row["minutes"], (-1, MINUTES)).mean(axis=1) for row in trained])
    hours = np.arange(1, hourly.shape[1] + 1)
    axes.fill_between(hours, hourly.min(axis=0), hourly.max(axis=0), color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(hours, hourly.mean(axis=0), color=BLUE, label="training")
    axes.axhline(default, color=GREY, linestyle="--", label="Lustre's default")
    axes.set(xlabel="hour of the training", ylabel="throughput (MB/s)", ylim=(0, None), xlim=(0, hourly.shape[1] + 1))
    axes.legend(loc="lower right")


def _bars(axes: Axes, baselines: dict[str, list[np.ndarray]], whole: list[np.ndarray]) -> list[tuple[Cell, ...]]:
    values = {name: throughput(runs) for name, runs in (*baselines.items(), ("training", whole))}
    for place, (name, value) in enumerate(values.items()):
        bar(axes, place, value, 0.7, BLUE if name == "training" else GREY, None)
    axes.set_xticks(range(len(values)), [name.replace(", ", ",\n") for name in values], fontsize=6.5)
    axes.grid(axis="x", visible=False)
    return [(name, with_interval(value)) for name, value in values.items()]
