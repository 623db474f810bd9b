"""Policies by the share of windows that keep all goals: as bars, over time, and as the loss to a reference so far.

In a scenario without goals the reward of windows stands in the place of that share
(`pmtwin.scenarios.comparison.score`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Table
from pmtwin.figures.drawing.style import BLUE, BLUES, COLUMN_IN, policy_colours, policy_label
from pmtwin.scenarios.comparison.score import ATTAINMENT, Score

BAR_IN, FRAME_IN = 0.27, 0.75
LINES_IN, LEGEND_COLUMNS = 4.4, 3
"""Width of lines over time, so that a telephone shows all of them, and columns of the legend below."""

POINTS = 40
"""Points of a line over time, each the mean of as many windows."""

DASHES = ("-", "--", "-.", ":")
"""Of lines whose colours are alike, in their order."""


def whole(value: float, score: Score) -> str:
    """A mean of a score in few digits, as figures write it."""
    return percent(value) if score.is_share else number(value)


def bars(
    name: str,
    means: Mapping[str, Mapping[str, Any]],
    score: Score = ATTAINMENT,
    called: Callable[[str], str] = policy_label,
) -> Drawing:
    """A bar for each policy, the best on top.

    Args:
        name: of the drawing.
        means: policy -> mean of the score over runs, as of `pmtwin.sim.numerics.statistics.over_runs`.
        called: what the picture calls a policy.
    """
    import matplotlib.pyplot as plt

    order, colours = sorted(means, key=lambda spec: means[spec]["mean"]), policy_colours(means)
    figure, axes = plt.subplots(figsize=(COLUMN_IN, max(BAR_IN * len(order) + FRAME_IN, 1.6)))
    for place, spec in enumerate(order):
        mean, ends = means[spec]["mean"], ends_of(means[spec])
        drawn = (mean, *(ends or (mean, mean)))
        mean, low, high = (100.0 * min(max(value, 0.0), 1.0) for value in drawn) if score.is_share else drawn
        axes.barh(place, mean, height=0.62, color=colours[spec], label=called(spec))
        axes.errorbar(mean, place, xerr=[[mean - low], [high - mean]], color="#444444", capsize=2, lw=1.0)
        if score.is_share:
            axes.text(high + 1.5, place, f"{mean:.0f} %", va="center", fontsize=8)
    axes.set_yticks(range(len(order)), [called(spec) for spec in order])
    if score.is_share:
        axes.set(xlim=(0, 112), xticks=range(0, 101, 20))
    axes.set(xlabel="windows that keep all goals (%)" if score.is_share else "mean reward of a window")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    best, highest = called(order[-1]), whole(means[order[-1]]["mean"], score)
    sentence = f"All goals are kept most often by {best}, in {highest} of the windows."
    sentence = sentence if score.is_share else f"The highest mean reward is that of {best}, {highest}."
    wide = any(ends is not None and ends[0] < ends[1] for ends in map(ends_of, means.values()))
    remark = ", from the least run to the greatest" if wide else ""
    remark = (
        ", with its 95 % interval over runs"
        if wide and all(each["low"] is not None for each in means.values())
        else remark
    )
    caption = f"{'Share of the windows' if score.is_share else 'Mean reward'}{remark}."
    columns = ("low", "high") if ends_of(means[order[-1]]) is not None else ()
    header = ("policy", score.name, *(f"{score.name}_{end}" for end in columns))
    rows = [(spec, means[spec]["mean"], *(ends_of(means[spec]) or ())) for spec in reversed(order)]
    return Drawing(name, figure, caption, sentence, Table(name, caption, header, rows))


def ends_of(share: Mapping[str, Any]) -> Sequence[float] | None:
    """The interval, or else the least and the greatest run; None without either."""
    return share.get("range") if share["low"] is None else (share["low"], share["high"])


def over_time(name: str, scores: Mapping[str, np.ndarray], score: Score = ATTAINMENT) -> Drawing:
    """The share of runs that keep the goals, or the mean reward, window by window.

    Args:
        scores: policy -> the score of each window, shape (runs, windows).
    """
    captions = "Mean over runs, window by window.", "Mean over runs and over {} windows at a time."
    if not score.is_share:
        return _lines(name, scores, "mean reward of a window", captions, _smoothed, score)
    label = "runs that keep all goals (%)"
    drawing = _lines(name, scores, label, captions, lambda met, width: 100.0 * _smoothed(met, width), score)
    (axes,) = drawing.figure.axes
    axes.set_ylim(0, 100)
    for line in axes.lines:
        line.set_clip_on(False)  # a line at 0 or 100 is drawn at its whole width
    return drawing


def regret(name: str, scores: Mapping[str, np.ndarray], reference: str, score: Score = ATTAINMENT) -> Drawing:
    """What the reference has gained so far and the policy has not, mean over runs; `scores` as in `over_time`."""

    def lost(values: np.ndarray, width: int) -> np.ndarray:
        return np.cumsum(scores[reference].mean(axis=0) - values.mean(axis=0))[width - 1 :: width]

    gained, label = f"Windows that {reference} has kept so far, less those of the policy", "windows lost"
    if not score.is_share:
        gained, label = f"Reward of {reference} so far, less that of the policy", "reward lost"
    return _lines(name, scores, label, (f"{gained}.", f"{gained}; every {{}} windows."), lost, score)


def _smoothed(values: np.ndarray, width: int) -> np.ndarray:
    means = values.mean(axis=0)[: values.shape[1] // width * width]
    return means.reshape(-1, width).mean(axis=1)


def _lines(
    name: str,
    scores: Mapping[str, np.ndarray],
    label: str,
    captions: tuple[str, str],
    line_of: Callable[[np.ndarray, int], np.ndarray],
    score: Score,
) -> Drawing:
    """Policies over time; `captions`: with a point for each window, and with one for several."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    windows = next(iter(scores.values())).shape[1]
    width = max(windows // POINTS, 1)
    figure, axes = plt.subplots(figsize=(LINES_IN, 3.0))
    lines, colours = {}, policy_colours(scores)
    drawn: Counter[str] = Counter()
    for spec, values in scores.items():
        line = lines[spec] = line_of(values, width)
        places = width * (1 + np.arange(len(line)))
        alike = BLUE if colours[spec] in BLUES else colours[spec]
        style = DASHES[drawn[alike] % len(DASHES)]
        drawn[alike] += 1
        axes.plot(places, line, style, color=colours[spec], label=spec)
    if score.is_share:  # of windows or of percent, which are whole
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set(xlabel="window", ylabel=label, xlim=(0, windows))
    figure.legend(loc="outside lower center", ncols=LEGEND_COLUMNS)
    written = "{:,.0f}".format if score.is_share else number
    ends = ", ".join(f"{spec} {written(line[-1])}" for spec, line in lines.items())
    title = f"{label[:1].upper()}{label[1:]}"
    rows = [(int(place), *map(float, values)) for place, *values in zip(places, *lines.values(), strict=True)]
    data = Table(name, title, ("window", *lines), rows)
    return Drawing(name, figure, captions[width > 1].format(width), f"{title}, at the end: {ends}.", data)


def matrix(
    name: str,
    rows: Sequence[int],
    columns: Sequence[int],
    share: np.ndarray,
    marked: Mapping[tuple[int, int], str],
    nouns: tuple[str, str],
    note: str = "",
) -> Drawing:
    """The share of windows that keep all goals for each pair of numbers of a setting.

    Args:
        share: shape (rows, columns), 0 to 1.
        marked: (row, column) -> text of a mark.
        nouns: of rows and of columns.
        note: sentence for the caption.
    """
    import matplotlib.pyplot as plt
    from matplotlib.patheffects import withStroke

    figure, axes = plt.subplots(figsize=(4.2, 3.8))
    mesh = axes.pcolormesh(columns, rows, 100.0 * share, cmap="viridis", vmin=0, vmax=100, shading="nearest")
    for (row, column), text in marked.items():
        mark = axes.text(column, row, text, ha="center", va="center", color="#fefefe", fontsize=9, weight="bold")
        mark.set_path_effects([withStroke(linewidth=2.2, foreground="#111111")])  # seen on every colour of the map
    axes.set(xlabel=nouns[1].replace("_", " "), ylabel=nouns[0].replace("_", " "))
    axes.grid(False)
    figure.colorbar(mesh, ax=axes, label="windows that keep all goals, by formulas (%)")
    caption = "Each field is a setting. Cross: recommended; dot: tied with it. All settings outside: 0 %."
    caption += f" {note}" if note else ""
    fields = [
        (row, column, float(share[i, j]) if np.isfinite(share[i, j]) else None)
        for i, row in enumerate(rows)
        for j, column in enumerate(columns)
    ]
    data = Table(name, caption, (*nouns, "attainment"), fields)
    return Drawing(name, figure, caption, "The plateau of settings around the recommended one.", data)
