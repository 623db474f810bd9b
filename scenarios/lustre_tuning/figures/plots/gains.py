"""Figures 2 and 3: throughput of trained networks and of controls, and their gains over Lustre's default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.lustre_tuning.figures.experiments.controls import BEST, CLIMBING, FIXED
from pmtwin.scenarios.lustre_tuning.figures.experiments.trainings import DQN, FIGURE_3, FILES, LONGEST, PAPER, RANDOM
from pmtwin.scenarios.lustre_tuning.figures.plots.parts import (
    CALLED,
    CLOSE,
    COLOURS,
    EARLY,
    IN_SAMPLE,
    LATE,
    Row,
    begin_h,
    chosen,
    counted_seeds,
    gain,
    groups,
    readings,
    said,
    stated,
    throughput,
)
from pmtwin.scenarios.lustre_tuning.published import (
    FILE_SERVER,
    GAIN_1_9,
    LONGER_TRAINING,
    NO_EFFECT,
    READ_HEAVY,
    TOO_SHORT,
    TRAINING_H,
    Claim,
)
from pmtwin.sim.numerics.statistics import Interval

OBVIOUS = 2.0
"""A gain of so many % is an obvious effect."""


class Measured(NamedTuple):
    """A bar: what it is called, and how it is read from runs.

    Fields:
        label: of the bar. name: policy, or label of its runs. begin_h: hours before the reading.
    """

    label: str
    name: str
    begin_h: float


class Hours(NamedTuple):
    """Hours of training before each of two readings, and of a reading."""

    trained: Sequence[float]
    judged: float


class Readings:
    """Throughput of runs with what is asked of them.

    Args:
        rows: of `experiments.runs`.
        hours: of the readings.
    """

    def __init__(self, rows: Sequence[Row], hours: Hours):
        self.rows, self.hours = rows, hours
        early, late = hours.trained
        printed = [Measured(f"{CALLED[PAPER]}, {late:g} h", PAPER, late)] if self._ran(PAPER) else []
        self.measured = (
            *(Measured(CALLED[name], name, begin_h(name)) for name in (FIXED, BEST, CLIMBING)),
            *printed,
            Measured(f"dqn, {early:g} h", DQN, early),
            Measured(f"dqn, {late:g} h", DQN, late),
        )
        self.early, self.late = self.measured[-2:]

    def _ran(self, name: str) -> bool:
        return any(row["policy"] == name for row in self.rows)

    def values(self, workload: str, measured: Measured) -> list[np.ndarray]:
        """Throughput of each minute of each seed, in MB/s; none where it did not run."""
        return readings(chosen(self.rows, workload, measured.name), measured.begin_h, self.hours.judged)

    def mb_s(self, workload: str, measured: Measured) -> Interval | None:
        """Mean over seeds."""
        values = self.values(workload, measured)
        return throughput(values) if values else None

    def gain(self, workload: str, measured: Measured) -> Interval | None:
        """Gain in % over the default in the same hours."""
        values = self.values(workload, measured)
        default = self.measured[0]._replace(begin_h=measured.begin_h)
        return gain(values, self.values(workload, default)) if values else None

    def longer(self, workload: str) -> Interval:
        """Gain of the longer training over the shorter one, in %, each over the default in its hours."""
        relative = []
        for reading in (self.late, self.early):
            default = self.values(workload, self.measured[0]._replace(begin_h=reading.begin_h))
            runs = zip(self.values(workload, reading), default, strict=True)
            relative.append([ours / theirs.mean() for ours, theirs in runs])
        return gain(*relative)

    def colour(self, measured: Measured) -> str:
        """Its colour."""
        if measured.name == DQN:
            return EARLY if measured == self.early else LATE
        return COLOURS[measured.name]


def render_2(results: dict) -> Rendered:
    """Random reads and writes."""
    rows = [row for name in ("longest", "random", "controls-random", "printed") for row in results[name]["runs"]]
    asked = Readings(rows, Hours(**results["controls-random"]["hours"]))
    return _rendered("2", "Random reads and writes", RANDOM, asked, _statements_2(asked), {LONGEST: GAIN_1_9.value})


def render_3(results: dict) -> Rendered:
    """File server and sequential writers."""
    rows = [row for name in ("files", "controls-files") for row in results[name]["runs"]]
    asked = Readings(rows, Hours(**results["controls-files"]["hours"]))
    return _rendered(
        "3", "File server and sequential writes", FIGURE_3, asked, _statements_3(asked), {FILES: FILE_SERVER.value}
    )


def _rendered(
    name: str, title: str, workloads: Sequence[str], asked: Readings, statements: list[Statement], published: dict
) -> Rendered:
    import matplotlib.pyplot as plt

    figure, (levels, gains) = plt.subplots(2, 1, figsize=(PAGE_IN, 4.4), sharex=True)
    level_of = {
        reading.label: (asked.colour(reading), partial(asked.mb_s, measured=reading)) for reading in asked.measured
    }
    gain_of = {
        reading.label: (asked.colour(reading), partial(asked.gain, measured=reading)) for reading in asked.measured[1:]
    }
    groups(levels, workloads, level_of)
    groups(gains, workloads, gain_of)
    for workload, value in published.items():
        gains.plot(
            workloads.index(workload) + 0.47,
            value,
            "D",
            color="black",
            markerfacecolor="white",
            markersize=6,
            label="published",
        )
    gains.axhline(0.0, color="0.4", linewidth=0.8)
    levels.set_ylabel("throughput (MB/s)")
    gains.set_ylabel("over the default (%)")
    handles = dict(zip(*reversed(levels.get_legend_handles_labels()), strict=True)) | dict(
        zip(*reversed(gains.get_legend_handles_labels()), strict=True)
    )
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4)
    caption = (
        f"Figure {name}. {_hours(asked.hours)} The network goes on learning while it is read. Controls that the "
        f"paper lacks: the best fixed setting, searched in other runs, and hill climbing. {_sentence(asked.rows)} "
        f"{IN_SAMPLE}"
    )
    cells, header = (
        _cells(workloads, asked),
        ("workload", "policy", "MB/s", "over the default (%)", "share of best fixed's gain"),
    )
    alt = "; ".join(
        f"{workload}, {policy}: {over} % over the default" for workload, policy, _, over, _ in cells if over
    )
    return Rendered(
        [Drawing(f"lustre-{name}", figure, caption, alt)],
        [Table(f"lustre-{name}", title, header, cells, IN_SAMPLE)],
        statements,
    )


def _cells(workloads: Sequence[str], asked: Readings) -> list[tuple[Cell, ...]]:
    cells: list[tuple[Cell, ...]] = []
    for workload in workloads:
        best = asked.gain(workload, asked.measured[1])
        for reading in asked.measured:
            level, over = asked.mb_s(workload, reading), asked.gain(workload, reading)
            if level is None or over is None:
                continue
            share = over["mean"] / best["mean"] if best and abs(best["mean"]) >= OBVIOUS else None
            is_default = reading.name == FIXED
            cells.append((
                workload, reading.label, with_interval(level), None if is_default else with_interval(over),
                None if is_default or share is None else round(share, 2),
            ))  # fmt: skip
    return cells


def _hours(hours: Hours) -> str:
    early, late = hours.trained
    text = f"Training of {early:g} and of {late:g} h, each read for {hours.judged:g} h"
    return f"{text}, as in the paper." if (early, late) == TRAINING_H else f"{text}; in the paper 12 and 24 h."


def _sentence(rows: Sequence[Row]) -> str:
    text = counted_seeds([row for row in rows if row["policy"] == DQN])
    return f"{text[0].upper()}{text[1:]}."


def _statements_2(asked: Readings) -> list[Statement]:
    late = asked.gain(LONGEST, asked.late)
    assert late is not None  # it always runs
    heavy = {name: asked.gain(name, asked.late) for name in READ_HEAVY}
    longer = {name: asked.longer(name) for name in RANDOM}
    rises = {name for name, value in longer.items() if value["low"] is not None and value["low"] > 0.0}
    return [
        _gained(GAIN_1_9, late),
        stated(NO_EFFECT, _listed(heavy), all(abs(value["mean"]) < OBVIOUS for value in heavy.values() if value)),
        said("4.3, figure 2", LONGER_TRAINING, _listed(longer), bool(rises) and rises <= set(READ_HEAVY)),
    ]


def _statements_3(asked: Readings) -> list[Statement]:
    early, late = asked.gain(FILES, asked.early), asked.gain(FILES, asked.late)
    longer = asked.longer(FILES)
    assert early and late  # they always run
    is_short = longer["low"] is not None and longer["low"] > 0.0
    text = f"{number(early['mean'])} %, then {number(late['mean'])} %; {with_interval(longer, unit=' %')} more"
    return [_gained(FILE_SERVER, late), said("4.3", TOO_SHORT, text, is_short)]


def _gained(claim: Claim, value: Interval) -> Statement:
    """A published gain beside what came out."""
    assert not isinstance(claim.value, tuple)  # one number
    apart = value["mean"] - claim.value
    return stated(claim, with_interval(value, unit=" %"), abs(apart) <= CLOSE * claim.value, apart)


def _listed(values: Mapping[str, Interval | None]) -> str:
    return "; ".join(f"{name}: {with_interval(value, unit=' %')}" for name, value in values.items() if value)
