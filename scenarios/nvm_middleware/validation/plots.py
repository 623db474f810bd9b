"""The middleware beside the twin: measured over predicted values."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from pmtwin.figures.drawing.rendered import Drawing, Rendered
from pmtwin.figures.drawing.style import BLUE, COLUMN_IN, GREEN, GREY, ORANGE, PINK, SKY, VERMILION
from pmtwin.scenarios.nvm_middleware.validation.tables import tables

COLOURS = (BLUE, ORANGE, GREEN, PINK, VERMILION, SKY)
MARKERS = "osD^vP"

SHOWN = {
    "throughput_ops": ("throughput", "thousand operations/s", "throughput"),
    "p99_us": ("p99 of interactive requests", "us", "p99"),
}
"""Measure -> title, unit, and the beginning of its fields among the tolerances."""

SCALES = {"throughput_ops": 1e-3, "p99_us": 1.0}


def render(results: dict) -> Rendered:
    """Figures from the values of `pmtwin validate`; within `pmtwin.figures.drawing.style.styled`."""
    data = results["validation"]
    caption = "Measured over predicted, one point for each policy in each workload; bars are 95 % intervals over seeds."
    if any(_worst(data, field) is not None for *_, field in SHOWN.values()):
        caption += " The band is what passes in the worst case."
    drawing = Drawing(
        "validation",
        _draw(data),
        caption,
        "Two panels, throughput and tail latency: the ratio of measured to predicted values over the predicted value.",
    )
    return Rendered([drawing], tables(data))


def _worst(data: dict, field: str) -> float | None:
    return data["verdict"]["tolerances"].get(f"{field}_worst")


def _draw(data: dict):
    figure, panels = plt.subplots(2, 1, figsize=(COLUMN_IN, 5.2))
    workloads = list(dict.fromkeys(entry["workload"] for entry in data["comparisons"]))
    for panel, (name, (title, unit, field)) in zip(panels, SHOWN.items(), strict=True):
        worst = _worst(data, field)
        if worst is not None:
            above = 1 / (1 - worst / 100) if worst < 100 else math.inf
            panel.axhspan(1 / (1 + worst / 100), min(above, MOST_RATIO), color=GREY, alpha=0.12, linewidth=0)
        panel.axhline(1.0, color=GREY, linewidth=0.8)
        shown = []
        for k, workload in enumerate(workloads):
            entries = [entry[name] for entry in data["comparisons"] if entry["workload"] == workload]
            points = [point for point in map(_point, entries) if point is not None]
            if not points:
                continue
            shown += points
            predicted, ratio, lower, upper = zip(*points, strict=True)
            x = [SCALES[name] * value for value in predicted]
            style = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
            panel.errorbar(
                x, ratio, (lower, upper), linestyle="none", markersize=3, elinewidth=0.6, label=workload, **style
            )
        panel.set(title=title, xlabel=f"predicted ({unit})", ylabel="measured / predicted")
        if shown:
            x = [SCALES[name] * point[0] for point in shown]
            _log_axis(panel, "x", min(x), max(x))
            _log_axis(panel, "y", *_reach(shown, worst))
    handles, labels = panels[0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 3))
    return figure


MOST_RATIO = 1e7
LEAST_SPAN = 1.2
"""An axis whose values are all but the same still covers so large a factor."""


def _reach(points: list, worst: float | None) -> tuple[float, float]:
    """Lowest and highest ratio of a panel, symmetric around 1: all points, the bars as far as twice that, the band."""
    far = max(abs(math.log(ratio)) for _, ratio, *_ in points)
    ends = [(ratio - below, ratio + above) for _, ratio, below, above in points]
    bars = max(max(-math.log(max(low, 1e-9)), math.log(high)) for low, high in ends)
    band = 0.0 if worst is None else min(math.log(1 + 2 * worst / 100), math.log(2))
    most = math.exp(max(far, min(bars, 2 * far), band))
    return 1 / most, most


def _log_axis(panel: Axes, which: str, low: float, high: float) -> None:
    """A logarithmic axis with a margin around low to high, and plain numbers at its ticks."""
    middle, span = math.sqrt(low * high), max(high / low, LEAST_SPAN) ** 1.15
    axis = getattr(panel, f"{which}axis")
    getattr(panel, f"set_{which}scale")("log")
    getattr(panel, f"set_{which}lim")(middle / math.sqrt(span), middle * math.sqrt(span))
    decades = span > 100
    ticks = (
        LogLocator(subs=(1,) if decades else (1, 2, 5), numticks=8) if span > 6 else MaxNLocator(5, steps=(1, 2, 5, 10))
    )
    axis.set(
        major_locator=ticks,
        minor_locator=NullLocator(),
        major_formatter=FuncFormatter(lambda value, _: f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"),
    )


def _point(both: dict) -> tuple[float, float, float, float] | None:
    """(predicted, measured / predicted, its distance to the ends of its interval); None without requests."""
    predicted, error = both["predicted"]["mean"], both["error_percent"]
    if error["mean"] is None or not predicted > 0:
        return None
    ratio = 1.0 / (1.0 + error["mean"] / 100)
    if error["low"] is None:
        return predicted, ratio, 0.0, 0.0
    ends = [1.0 / max(1.0 + error[end] / 100, 1 / MOST_RATIO) for end in ("high", "low")]
    return predicted, ratio, max(ratio - ends[0], 0.0), max(ends[1] - ratio, 0.0)
