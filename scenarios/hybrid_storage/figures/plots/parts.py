"""Common parts of the figures: bars by suite and policy, published numbers beside computed ones, captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREEN, GREY, ORANGE, PAGE_IN, PINK, SKY, VERMILION
from pmtwin.scenarios.hybrid_storage.figures.averages import LATENCY, NAMES, Runs, by_seed
from pmtwin.scenarios.hybrid_storage.figures.claims import PREDICTED, Shown, shown, statements, table, without_bound
from pmtwin.scenarios.hybrid_storage.figures.experiments.storages import COST
from pmtwin.scenarios.hybrid_storage.figures.policies import (
    CALLED,
    HARMONIA,
    ORACLE,
    PAPER,
)
from pmtwin.scenarios.hybrid_storage.published import AXES, TABLE_4
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import ESTIMATE
from pmtwin.sim.hybrid.devices import CONFIGS
from pmtwin.sim.numerics.statistics import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = dict(zip(CALLED, (
    GREY, "#8c8c8c", "#b8b8b8", ORANGE, "#f0c980", "#f7e0b5", SKY, PINK, BLUE, "#b7dfd0", GREEN, "#59c3a4", VERMILION,
    "black",
), strict=True))  # fmt: skip
AVERAGE = "AVG"
LABELS = {
    "slowdown": "mean latency over Fast-Only", "throughput": "requests/s over Fast-Only",
    "write_amplification": "write amplification", "p99_us": "p99 (us)", "p9999_us": "p99.99 (us)",
}  # fmt: skip
AXIS_MEASURES = {"slowdown", "write_amplification"}
"""Measures of which the ends of the paper's axes are known."""

MOST_BESIDE = 5
"""Names in a row of the legend."""

LOGARITHMIC = {"slowdown", "throughput", "p99_us", "p9999_us"}

Groups = Mapping[str, Sequence[str]]
"""Name of a group of bars -> workloads whose mean it shows; none: all."""


def suites(runs: Runs) -> Groups:
    """The suites of Table 4 and the mean of all traces, or each workload and the mean."""
    if set(runs.workloads) != set(TABLE_4):
        return {**{name: (name,) for name in runs.workloads}, AVERAGE: ()}
    names: dict[str, list[str]] = {}
    for name in runs.workloads:
        names.setdefault(TABLE_4[name].suite, []).append(name)
    return {**names, AVERAGE: ()}


def bars(axes: Axes, seeds: Sequence[Runs], policies: Sequence[str], measure: str, groups: Groups) -> None:
    """A group of bars for each group of workloads, one for each policy; lines: 95 % intervals over the seeds."""
    width, least = 0.85 / len(policies), np.inf
    for place, policy in enumerate(policies):
        at = np.arange(len(groups)) + width * (place - 0.5 * (len(policies) - 1))
        intervals = [mean_interval([run.mean(policy, measure, names) for run in seeds]) for names in groups.values()]
        means = np.array([value["mean"] for value in intervals])
        axes.bar(at, means, width, color=COLOURS[policy], label=_named(policy, CALLED[policy], seeds))
        least = min(least, float(means.min()))
        ends = [(value["low"], value["high"]) for value in intervals if value["low"] is not None]
        if ends:
            lows, highs = np.array(ends, float).T
            axes.vlines(at, np.maximum(lows, 0.0), highs, color="black", linewidth=0.7)
    axes.set_xticks(range(len(groups)), list(groups))
    axes.grid(axis="x", visible=False)
    axes.set_ylabel(LABELS[measure])
    if measure in LOGARITHMIC:
        _logarithmic(axes, measure, least)


def _named(policy: str, name: str, seeds: Sequence[Runs]) -> str:
    """A policy's name; an Oracle that is no bound is called an estimate."""
    is_estimate = policy == ORACLE and any(runs.has_estimate for runs in seeds)
    return f"{name.partition(' ')[0]} ({ESTIMATE})" if is_estimate else name


def _logarithmic(axes: Axes, measure: str, least: float) -> None:
    """A logarithmic axis with plain numbers; bars of a slowdown begin at 1, at Fast-Only.

    Args:
        least: height of the lowest bar.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_yscale("log")
    axes.set_ylim(bottom=1.0 if measure == LATENCY and least >= 1.0 else least / 2.0)
    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0) if high / low < 1000.0 else (1.0,)))
    axes.yaxis.set_major_formatter(lambda value, place: f"{value:,.10g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def ink(colour: Sequence[float]) -> str:
    """Black or white, whichever can be read on a colour: red, green and blue of 0 to 1."""
    red, green, blue = colour[:3]
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def beside(axes: Axes, rows: Sequence[Shown]) -> None:
    """Published and computed numbers of claims, one below the other."""
    places = np.arange(len(rows))[::-1]
    for place, row in zip(places, rows, strict=True):
        for reading, mark in zip(row.readings, ("o", "s"), strict=False):
            if reading["low"] is not None and reading["high"] is not None:
                axes.hlines(place, reading["low"], reading["high"], color=BLUE, linewidth=1.0)
            axes.plot(reading["mean"], place, mark, color=BLUE, markersize=4, zorder=3)
    axes.plot([row.published for row in rows], places, "D", color="black", markerfacecolor="white", markersize=6)
    axes.set_yticks(places, [_label(row) for row in rows], fontsize=6)
    axes.axvline(0.0, color="0.5", linewidth=0.8)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(axis="y", visible=False)
    unit = "%; " if all(row.asked.published.claim.endswith(", %") for row in rows) else ""
    square = f", and as {NAMES[1]}: square" if any(len(row.readings) > 1 for row in rows) else ""
    axes.set_xlabel(f"{unit}published: diamond; here: circle{square}")


def _label(row: Shown) -> str:
    """A claim in few words, with the policy that it is about, without the workloads that the panels name."""
    claim = row.asked.claim.partition(";")[0]
    is_told = " of Sibyl over " in claim or " amplification of " in claim
    return f"{row.config}: {claim}" if is_told else f"{row.config}: {CALLED[row.asked.needs[0]]}: {claim}"


def compared(
    name: str,
    title: str,
    rows: list[dict],
    measures: Sequence[str],
    words: str,
    policies: Sequence[str] = (),
    workloads: Sequence[str] = (),
) -> Rendered:
    """A panel of bars for each storage and measure, and the claims of the figure below them.

    Args:
        name: of the entry. rows: of `experiments.runs`. words: first sentences of the caption.
        policies: those that are shown; none: all that ran. workloads: those that are shown; none: all.
    """  # fmt: skip
    import matplotlib.pyplot as plt

    seeds = by_seed(rows)
    claims = shown(name, seeds)
    panels = [(config, measure) for config in seeds for measure in measures]
    heights = [*([1.9] * len(panels)), *([0.35 + 0.19 * len(claims)] if claims else [])]
    figure, every = plt.subplots(len(heights), 1, figsize=(PAGE_IN, sum(heights) + 0.8), height_ratios=heights)
    axes = np.atleast_1d(every)
    for place, (config, measure) in zip(axes, panels, strict=False):
        runs = seeds[config]
        ran = [spec for spec in policies or CALLED if spec in runs[0].policies and _has(runs[0], spec, measure)]
        bars(place, runs, ran, measure, {each: (each,) for each in workloads} or suites(runs[0]))
        place.set_title(called(config))
        _mark_axis_end(place, name, config, measure)
    if claims:
        beside(axes[-1], claims)
    figure.align_ylabels(axes[: len(panels)])
    handles, labels = axes[0].get_legend_handles_labels()
    rows_below = -(-len(labels) // MOST_BESIDE)
    figure.legend(handles, labels, loc="outside lower center", ncols=-(-len(labels) // rows_below))
    caption = f"{words} {basis(rows)} {absent(rows)}{PREDICTED}"
    alt = "; ".join(
        f"{each.config}, {each.text}: {number(each.readings[0]['mean'])}, published {number(each.published)}"
        for each in claims
    )
    tables = [table(name, title, claims, basis(rows))] if claims else []
    return Rendered(
        [Drawing(f"hybrid-{name}", figure, caption, alt or title)],
        [*tables, data(name, seeds)],
        [*statements(claims), *without_bound(name, seeds)],
    )


def called(config: str) -> str:
    """A storage with its devices."""
    return f"{config}: {' + '.join(CONFIGS[config])}" if config in CONFIGS else config


def _mark_axis_end(axes: Axes, name: str, config: str, measure: str) -> None:
    """A line where the axis of the paper's figure ends: its bars are below."""
    end = AXES.get(f"{name}{'b' if config == COST else 'a'}", AXES.get(name))
    if isinstance(end, int) and measure in AXIS_MEASURES:
        is_seen = bool(end <= axes.get_ylim()[1])
        if is_seen:
            axes.axhline(end, color="0.4", linestyle=":", linewidth=0.9)
        words = f"{'dotted: ' * is_seen}the paper's axis ends at {end}"
        axes.set_title(words, loc="right", fontsize=6, weight="normal")


def _has(runs: Runs, policy: str, measure: str) -> bool:
    return any(runs.values[name, policy].get(measure) is not None for name in runs.workloads)


def basis(rows: list[dict]) -> str:
    """What the numbers rest on."""
    seeds = len({row["seed"] for row in rows})
    requests = max(row["requests"] for row in rows)
    text = f"{requests:,} requests a workload, of which the second half is measured"
    return f"{text}; one seed, so no interval." if seeds == 1 else f"{text}; mean and 95 % interval of {seeds} seeds."


def absent(rows: list[dict]) -> str:
    """A sentence on policies of the paper that did not run."""
    ran = {row["policy"] for row in rows}
    missing = [called for spec, called in PAPER.items() if spec not in ran]
    return f"Not here: {', '.join(missing)}. " if missing else ""


def data(name: str, seeds: Mapping[str, list[Runs]]) -> Table:
    """All means over workloads, by storage and policy."""
    measures = (LATENCY, "throughput", "write_amplification", "p99_us", "p9999_us", "moves", "promotions", "evictions")
    rows: list[tuple[Cell, ...]] = []
    for config, runs in seeds.items():
        for policy in runs[0].policies:
            for group, workloads in suites(runs[0]).items():
                values = [
                    float(np.mean([run.mean(policy, measure, workloads) for run in runs])) for measure in measures
                ]
                cells = [None if np.isnan(value) else round(value, 4) for value in values]
                rows.append((config, group, _named(policy, policy, runs), *cells))
    return Table(f"hybrid-{name}-means", "Means", ("storage", "workloads", "policy", *measures), rows, shown=False)


PRIOR = (*(spec for spec in PAPER if spec != HARMONIA), ORACLE)
"""What figure 3 shows."""
