"""Figure 11 and the sensitivity to what the paper leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.averages import LATENCY, TAIL_WORKLOADS, Runs, by_seed
from pmtwin.scenarios.hybrid_storage.figures.claims import PREDICTED
from pmtwin.scenarios.hybrid_storage.figures.experiments.sweeps import (
    ANSWERS,
    BASE,
    BESIDE,
    CONTROL,
    CONTROLS,
    OPEN,
    QUEUE,
    QUEUES,
    Change,
    N,
)
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import COLOURS, basis
from pmtwin.scenarios.hybrid_storage.figures.policies import CALLED, HARMONIA
from pmtwin.scenarios.hybrid_storage.published import AXES, CLAIMS
from pmtwin.sim.numerics.statistics import Interval, mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SWEPT = ((QUEUE, QUEUES, "migration-queue", "pages in the queue"), (N, ANSWERS, "reward", "n of the reward (requests)"))
WORKLOADS = ", ".join(TAIL_WORKLOADS)
DASH = 4.0
"""Length of a dash, in widths of its line."""


def render_11(results: dict) -> Rendered:
    """Latency by the size of the queue and by n, beside policies that have neither."""
    import matplotlib.pyplot as plt

    rows = results["settings"]["runs"]
    seeds = by_seed(rows)
    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.9), sharey=True)
    statements: list[Statement] = []
    cells: list[tuple[Cell, ...]] = []
    for axes, (name, values, claim, title) in zip(panels, SWEPT, strict=True):
        runs = [seeds[f"{name} {value}"] for value in values]
        intervals = [_mean(swept, swept[0].policies[0]) for swept in runs]
        latencies = [interval["mean"] for interval in intervals]
        places = range(len(values))
        axes.plot(places, latencies, "o-", color=BLUE, markersize=3, label=CALLED[HARMONIA])
        _error_bars(axes, places, intervals)
        cells += [(name, value, with_interval(interval, 4)) for value, interval in zip(values, intervals, strict=True)]
        (published,) = (entry for entry in CLAIMS if entry.name == claim)
        axes.axvline(values.index(published.perf), color="0.3", linestyle=":", linewidth=1.0, label="published best")
        for place, spec in enumerate(CONTROLS):  # dashes of equal values stand side by side
            dashes = (DASH * place, (DASH, DASH * (len(CONTROLS) - 1)))
            axes.axhline(_mean(seeds[CONTROL], spec)["mean"], color=COLOURS[spec], linestyle=dashes, linewidth=1.2,
                         label=CALLED[spec])  # fmt: skip
        axes.set_xticks(places, [str(value) for value in values])
        axes.set_xlabel(title)
        best = values[int(np.argmin(latencies))]
        span = 100.0 * (max(latencies) / min(latencies) - 1.0)
        text = f"{number(best)}; from least to most {number(span)} %"
        holds = best == published.perf
        statements.append(
            Statement(published.place, f"{claim}: {published.claim}: {number(published.perf)}", text, holds, used=False)
        )
    cells += [(spec, None, with_interval(_mean(seeds[CONTROL], spec), 4)) for spec in CONTROLS]
    panels[0].set_ylabel("mean latency over Fast-Only")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    caption = (
        f"Figure 11 on cost, mean of {WORKLOADS}; dashed: policies without either parameter. The ends of the paper's "
        f"axis: {AXES['11']}. {basis(rows)} {PREDICTED}"
    )
    alt = "; ".join(f"{each.published}; here {each.computed}" for each in statements)
    table = Table("hybrid-11", "Queue and n", ("parameter or policy", "value", "mean latency over Fast-Only"), cells)
    return Rendered([Drawing("hybrid-11", figure, caption, alt)], [table], statements)


def _mean(seeds: Sequence[Runs], policy: str, measure: str = LATENCY) -> Interval:
    """Mean over the workloads, over seeds."""
    return mean_interval([run.mean(policy, measure) for run in seeds])


def _ratio(seeds: Sequence[Runs], policy: str, others: Sequence[Runs], other: str) -> Interval:
    """Latency over that of another policy, in the same seeds."""
    return mean_interval([runs.mean(policy) / base.mean(other) for runs, base in zip(seeds, others, strict=True)])


def _error_bars(axes: Axes, places: Sequence[float], intervals: Sequence[Interval]) -> None:
    """95 % intervals over the seeds, where there are some."""
    for place, value in zip(places, intervals, strict=True):
        if value["low"] is not None and value["high"] is not None:
            axes.vlines(place, value["low"], value["high"], color=BLUE, linewidth=0.8)


def render_sensitivity(results: dict) -> Rendered:
    """Harmonia with one thing changed at a time: its latency over that as described, and others' over its."""
    import matplotlib.pyplot as plt

    rows = results["sensitivity"]["runs"]
    seeds = by_seed(rows)
    configs = list(dict.fromkeys(label.partition("/")[0] for label in seeds))
    figure, panels = plt.subplots(1, 2 * len(configs), figsize=(PAGE_IN, 0.165 * len(OPEN) + 1.1), sharey=True)
    places = np.arange(len(OPEN))[::-1]
    cells: list[tuple[Cell, ...]] = []
    for number_of, config in enumerate(configs):
        changed, compared = panels[2 * number_of : 2 * number_of + 2]
        for place, change in zip(places, OPEN, strict=True):
            cells.append(_row(changed, compared, place, config, change, seeds))
        changed.set(xlabel=f"Harmonia over\n{BASE!r}", title=config)
        compared.set(xlabel="others over\nHarmonia")
    for axes in panels:
        _ratio_axis(axes)
    panels[0].set_yticks(places, [change.name for change in OPEN], fontsize=6.5)
    panels[0].set_ylim(-0.7, len(OPEN) - 0.3)
    handles = [plt.Line2D([], [], linestyle="", **_style(mark, spec)) for mark, spec in MARKS]
    figure.legend(handles, [CALLED[spec] for _, spec in MARKS], loc="outside lower center", ncols=3)
    caption = (
        f"Harmonia with one thing changed at a time, mean of {WORKLOADS}. Right of 1 in the panels on the left: "
        f"slower than as described; left of 1 in those on the right: the other policy is faster than Harmonia with the "
        f"same change (rows of the agents' options change Harmonia alone). Skew, drift and capacity change the "
        f"workload or the storage, not the agents. {basis(rows)} {PREDICTED}"
    )
    alt = "; ".join(f"{config}, {name}: {ratio}" for config, name, _, _, ratio, *_ in cells)
    header = (
        "storage", "change", "policy", "mean latency over Fast-Only", f"over that {BASE}",
        *(f"{CALLED[spec]} over it" for spec in BESIDE), "pages moved",
    )  # fmt: skip
    return Rendered(
        [Drawing("hybrid-sensitivity", figure, caption, alt)],
        [Table("hybrid-sensitivity", "Open parameters", header, cells)],
    )


TICKS = ((6.0, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)), (30.0, (1.0, 2.0, 5.0)), (np.inf, (1.0,)))
"""(ratio of the ends of an axis below which they have room, numbers within a decade)."""

MARKS = (("o", HARMONIA), ("s", BESIDE[0]), ("D", BESIDE[1]))
HOLLOW, HOLLOW_SIZE = "s", 6.5
"""The mark that others are seen through, where two values are equal."""


def _row(
    changed: Axes, compared: Axes, place: float, config: str, change: Change, seeds: dict[str, list[Runs]]
) -> tuple[Cell, ...]:
    """Draws a row of a storage; its cells."""
    base, runs = seeds[f"{config}/{BASE}"], seeds[f"{config}/{change.name}"]
    over = _ratio(runs, change.spec, base, HARMONIA)
    _mark(changed, place, over, *MARKS[0])
    others = {}
    for mark, spec in MARKS[1:]:
        beside = runs if spec in change.specs else base
        others[spec] = _ratio(beside, spec, runs, change.spec)
        _mark(compared, place, others[spec], mark, spec)
    moved = round(_mean(runs, change.spec, "moves")["mean"], 1)
    texts = [with_interval(others[spec]) for spec in BESIDE]
    latency = with_interval(_mean(runs, change.spec), 4)
    return config, change.name, change.spec, latency, with_interval(over), *texts, moved


def _mark(axes: Axes, place: float, value: Interval, mark: str, spec: str) -> None:
    if value["low"] is not None and value["high"] is not None:
        axes.hlines(place, value["low"], value["high"], color=COLOURS[spec], linewidth=0.8)
    axes.plot(value["mean"], place, **_style(mark, spec))


def _style(mark: str, spec: str) -> dict[str, Any]:
    """How a policy's mark is drawn."""
    hollow = {"markersize": HOLLOW_SIZE, "markerfacecolor": "none"}
    return {"marker": mark, "color": COLOURS[spec], "markersize": 3.5, **(hollow if mark == HOLLOW else {})}


def _ratio_axis(axes: Axes) -> None:
    """A logarithmic axis of ratios with plain numbers, and a line at 1."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.axvline(1.0, color="0.5", linewidth=0.8, zorder=0)
    axes.set_xscale("log")
    means = [float(value) for line in axes.lines[:-1] for value in np.ravel(line.get_xdata())]
    low, high = min(0.8, min(means) / 1.2), max(1.25, 1.2 * max(means))
    axes.set_xlim(low, high)  # by the means: an interval may leave it
    axes.xaxis.set_major_locator(LogLocator(10, next(ticks for ratio, ticks in TICKS if high / low < ratio)))
    axes.tick_params(axis="x", labelsize=6.5)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(axis="y", visible=True)
