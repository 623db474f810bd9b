"""The authors' own run beside the same windows in the simulated cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, GREY, PAGE_IN
from pmtwin.scenarios.lustre_tuning.figures.experiments.replay import REPLAYED, SEEDS, USED, VARIANTS, WORKLOAD
from pmtwin.scenarios.lustre_tuning.figures.recorded import SETTLED_S, Recorded, recorded
from pmtwin.sim.numerics.newey_west import Trend, trend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAGS = 60
"""Seconds over which the errors of a trend may depend on one another."""

CORRELATED_S = (1, 5, 10, 60)
CLOSE, ERRORS = 0.15, 2.0
"""The mean counts as predicted within 15 %, the trend within two standard errors."""

SHOWN_S = 20
"""Seconds over which the drawing averages."""


class Numbers(NamedTuple):
    """What is read from a run from `SETTLED_S` on.

    Fields:
        mean, deviation: of the throughput of a second, in MB/s. reads: share of the data. trend: in MB/s by e-fold of
        the window. correlation: by `CORRELATED_S`.
    """

    mean: float
    deviation: float
    reads: float
    trend: Trend
    correlation: tuple[float, ...]


def numbers(read_mb_s: np.ndarray, write_mb_s: np.ndarray, window: np.ndarray) -> Numbers:
    """The numbers of a run; all by second, from its begin on."""
    read, written = read_mb_s[SETTLED_S:], write_mb_s[SETTLED_S:]
    both = read + written
    return Numbers(
        float(both.mean()),
        float(both.std()),
        float(read.sum() / both.sum()),
        trend(np.log(window[SETTLED_S:]), both, LAGS),
        tuple(_correlation(both, lag) for lag in CORRELATED_S),
    )


def _correlation(values: np.ndarray, lag: int) -> float:
    around = values - values.mean()
    return float((around[:-lag] * around[lag:]).sum() / (around**2).sum())


def render(results: dict) -> Rendered:
    """Throughput over time, and by window."""
    import matplotlib.pyplot as plt

    log, rows = recorded(), results["replay"]["runs"]
    theirs = numbers(log.read_mb_s, log.write_mb_s, log.window)
    ours = {variant.name: [_of(row, log) for row in rows if row["variant"] == variant.name] for variant in VARIANTS}
    figure, panels = plt.subplot_mosaic([["time", "time", "window"]], figsize=(PAGE_IN, 2.8))
    replayed = [_mb_s(row) for row in rows if row["variant"] == REPLAYED.name]
    _over_time(panels["time"], log, replayed)
    _by_window(panels["window"], log, replayed)
    handles, labels = panels["time"].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    share = log.busiest(USED)
    caption = (
        f"The authors' run long_run_test ({log.actions} actions, windows {log.window.min()} to {log.window.max()}, no "
        f"limit of the rate), and the same windows under a simulated {WORKLOAD} with four clients. In the log "
        f"{100 * share:.0f} % of the data are on {USED} servers: here all are, and results are divided by that share. "
        f"Means of {SHOWN_S} s; by window, means from {SETTLED_S} s on. {SEEDS} seeds. Mean and trend are predicted; "
        f"foreign traffic was fitted to deviation and autocorrelation."
    )
    mean = _mean(ours[REPLAYED.name])
    alt = f"Log: {_words(theirs)}; here: {_words(mean)}"
    cells = [_cells("log", theirs), *(_cells(name, _mean(runs)) for name, runs in ours.items())]
    header = (
        "run", "MB/s", "standard deviation", "share of reads", "MB/s by e-fold of the window", "its standard error",
        *(f"autocorrelation, {lag} s" for lag in CORRELATED_S),
    )  # fmt: skip
    note = f"Means of {SEEDS} seeds; the standard error is that of one run (Newey-West, {LAGS} s)."
    return Rendered(
        [Drawing("lustre-replay", figure, caption, alt)],
        [Table("lustre-replay", "The authors' run replayed", header, cells, note)],
        _statements(theirs, mean),
    )


def _words(run: Numbers) -> str:
    return f"{number(run.mean)} MB/s, {number(run.trend.slope)} MB/s by e-fold of the window"


def _of(row: dict[str, Any], log: Recorded) -> Numbers:
    return numbers(np.array(row["read_mb_s"]), np.array(row["write_mb_s"]), log.window)


def _mb_s(row: dict[str, Any]) -> np.ndarray:
    return np.array(row["read_mb_s"]) + np.array(row["write_mb_s"])


def _mean(runs: list[Numbers]) -> Numbers:
    """Means over seeds."""
    slope, error = np.mean([run.trend for run in runs], axis=0).tolist()
    mean, deviation, reads = np.mean([run[:3] for run in runs], axis=0).tolist()
    correlation = np.mean([run.correlation for run in runs], axis=0).tolist()
    return Numbers(mean, deviation, reads, Trend(slope, error), tuple(correlation))


def _cells(name: str, run: Numbers) -> tuple[Cell, ...]:
    values = (run.mean, run.deviation, run.reads, run.trend.slope, run.trend.error, *run.correlation)
    return (name, *(round(value, 1 if abs(value) > 1.0 else 2) for value in values))


def _over_time(axes: Axes, log: Recorded, replayed: list[np.ndarray]) -> None:
    """Throughput, and the window on an axis of its own."""
    theirs = log.read_mb_s + log.write_mb_s
    minutes = (np.arange(len(theirs) // SHOWN_S) + 0.5) * SHOWN_S / 60.0
    axes.plot(minutes, _averaged(theirs), color=GREY, label="log")
    axes.plot(minutes, _averaged(replayed[0]), color=BLUE, label="simulated, one seed")
    axes.axvline(SETTLED_S / 60.0, color="0.5", linewidth=0.8, linestyle=":")
    axes.set(xlabel="minutes", ylabel="throughput (MB/s)", ylim=(0, None), xlim=(0, len(theirs) / 60.0))
    window = axes.twinx()
    window.plot(np.arange(len(theirs)) / 60.0, log.window, color="black", linewidth=0.5)
    axes.plot([], [], color="black", linewidth=0.5, label="window (right axis)")
    window.set(ylim=(0, 90), yticks=(0, 10, 20, 30), ylabel="window (RPCs)")
    window.grid(visible=False)


def _averaged(values: np.ndarray) -> np.ndarray:
    return values[: len(values) // SHOWN_S * SHOWN_S].reshape(-1, SHOWN_S).mean(axis=1)


def _by_window(axes: Axes, log: Recorded, replayed: list[np.ndarray]) -> None:
    window = log.window[SETTLED_S:]
    values = np.unique(window)
    axes.plot(values, [log.mb_s[window == value].mean() for value in values], "s", color=GREY, markersize=3)
    settled = np.array(replayed)[:, SETTLED_S:]
    axes.plot(values, [settled[:, window == value].mean() for value in values], "o", color=BLUE, markersize=3)
    axes.set(xlabel="window (RPCs)", xscale="log", ylim=(0, None))
    axes.set_xticks((4, 8, 16, 27), ("4", "8", "16", "27"))
    axes.minorticks_off()


def _statements(theirs: Numbers, ours: Numbers) -> list[Statement]:
    off = ours.mean / theirs.mean - 1.0
    allowed = ERRORS * theirs.trend.error
    apart = ours.trend.slope - theirs.trend.slope
    place = "authors' log, long_run_test"
    fitted = Statement(
        place,
        f"standard deviation over mean: {number(theirs.deviation / theirs.mean)}",
        number(ours.deviation / ours.mean),
        used=True,
    )
    return [
        Statement(
            place, f"mean throughput: {number(theirs.mean)} MB/s", f"{number(ours.mean)} MB/s", abs(off) <= CLOSE,
            f"{number(100.0 * off)} %", used=False,
        ),
        Statement(
            place, f"trend: {number(theirs.trend.slope)} MB/s by e-fold, standard error {number(theirs.trend.error)}",
            f"{number(ours.trend.slope)} MB/s by e-fold", abs(apart) <= allowed,
            f"{number(apart / theirs.trend.error)} standard errors", used=False,
        ),
        Statement(
            place, f"share of reads: {number(theirs.reads)}", number(ours.reads),
            abs(ours.reads / theirs.reads - 1.0) <= CLOSE,
            number(ours.reads - theirs.reads), used=False,
        ),
        fitted,
    ]  # fmt: skip
