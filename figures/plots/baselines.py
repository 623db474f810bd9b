"""The baselines of a scenario: attainment, reward and each measure by context, with the goals as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import PAGE_IN, PALETTE, policy_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ATTAINMENT, REWARD = "attainment", "reward"
COLUMNS, ROW_IN = 2, 2.1
MARKERS = "oDs^v*P"
"""Distinct without colour."""


def render(results: dict) -> Rendered:
    """A panel each, policies side by side within a context."""
    values = results["baselines"]
    return Rendered([_drawing(values)], [_table(values)])


def _panels(values: dict) -> list[tuple[str, str, str, float | None]]:
    """(name, label, scale, goal) of each panel."""
    measures = [
        (each["name"], _label(each), each["scale"], values["goals"].get(each["name"])) for each in values["measures"]
    ]
    share = [(ATTAINMENT, "windows that meet all goals", "linear", None)] if values["goals"] else []
    return [*share, (REWARD, "reward", "linear", None), *measures]


def _label(measure: dict) -> str:
    unit = f" ({measure['unit']})" if measure["unit"] else ""
    return f"{measure['description']}{unit}"


def _drawing(values: dict) -> Drawing:
    panels, specs = _panels(values), list(values["policies"])
    rows = -(-len(panels) // COLUMNS)
    figure, axes = plt.subplots(
        rows, COLUMNS, figsize=(PAGE_IN, 0.5 + ROW_IN * rows), layout="constrained", squeeze=False
    )
    for axis, (name, label, scale, goal) in zip(axes.flat, panels, strict=False):
        for k in range(len(specs)):
            _series(axis, values, name, k)
        if goal is not None:
            axis.axhline(goal, color="0.35", linewidth=0.9, linestyle="--", label="goal")
        axis.set_yscale(scale)
        if scale == "log":
            axis.yaxis.set_major_formatter(lambda value, _: number(value))
            axis.yaxis.set_minor_formatter(lambda value, _: number(value))
        if name == ATTAINMENT:
            axis.set_ylim(-0.04, 1.04)
            axis.yaxis.set_major_formatter(lambda share, _: percent(share))
        axis.set_title(label, fontsize="small", loc="left", wrap=True)
        axis.set_xticks(range(len(values["contexts"])), values["contexts"])
        axis.set_xlim(-0.5, len(values["contexts"]) - 0.5)
        axis.set_xlabel(values["noun"])
    for axis in axes.flat[len(panels) :]:
        axis.remove()
    handles = dict(zip(*reversed(axes.flat[len(panels) - 1].get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=min(len(handles), 5))
    caption = (
        f"Policies that need no training, in each {values['noun']}: means over {values['seeds']} runs of "
        f"{values['windows']} windows with 95 % intervals{'; the dashed line is the goal' if values['goals'] else ''}."
    )
    alt = "; ".join(f"{policy_label(spec)}: {_scores(values, spec)}" for spec in specs)
    what = "Share of windows that meet all goals" if values["goals"] else "Mean reward"
    return Drawing("baselines", figure, caption, f"{what}. {alt}.")


def _series(axis: Axes, values: dict, name: str, number_of_policy: int) -> None:
    specs = list(values["policies"])
    spec, offset = specs[number_of_policy], (number_of_policy - (len(specs) - 1) / 2) * 0.6 / len(specs)
    at = [k for k, context in enumerate(values["contexts"]) if context in values["policies"][spec]]
    points = [values["policies"][spec][values["contexts"][k]][name] for k in at]
    means = [point["mean"] for point in points]
    ends = [[abs(mean - (mean if p[end] is None else p[end])) for mean, p in zip(means, points, strict=True)]
            for end in ("low", "high")]  # fmt: skip
    colour, marker = PALETTE[number_of_policy % len(PALETTE)], MARKERS[number_of_policy % len(MARKERS)]
    axis.errorbar(
        [k + offset for k in at], means, yerr=ends, linestyle="none", capsize=2, color=colour, marker=marker,
        markersize=4.5, label=policy_label(spec),
    )  # fmt: skip


def _scores(values: dict, spec: str) -> str:
    """The share of windows that meet all goals in each context, or the mean reward."""
    name, written = (ATTAINMENT, percent) if values["goals"] else (REWARD, number)
    return ", ".join(f"{context} {written(part[name]['mean'])}" for context, part in values["policies"][spec].items())


def _table(values: dict) -> Table:
    names = [name for name, *_ in _panels(values)]
    header = ("policy", values["noun"], *(f"{name}{end}" for name in names for end in ("", " low", " high")))
    rows = [
        (spec, context, *(part[name][end] for name in names for end in ("mean", "low", "high")))
        for spec, contexts in values["policies"].items()
        for context, part in contexts.items()
    ]
    return Table("baselines", "Baselines by context", header, rows)
