"""The drawings of the fit report: predictions of kept-aside configurations or, without any, of the fitted ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.error_tables import fit_errors
from pmtwin.calibrate.measurements import Configurations
from pmtwin.calibrate.report.coverage import TARGET_PERCENT, Judged, draw_coverage
from pmtwin.calibrate.report.evidence_plots import draw_load, draw_mixes, draw_tail
from pmtwin.calibrate.report.trust import draw_map
from pmtwin.figures.drawing.style import styled, svg_bytes
from pmtwin.figures.page.markup import figure as figure_html
from pmtwin.figures.page.svg import inline

COLOURS = {"load": "#0072b2", "ntstore": "#d55e00", "store_clwb": "#009e73", "store": "#cc79a7"}
"""Colours of Okabe and Ito's palette, which readers with red-green blindness can tell apart."""

KEPT_ASIDE, FITTED = "kept-aside configurations", "configurations that the law was fitted to"
"""What predictions are compared with. Errors of the fitted ones do not say how far to trust other predictions."""

TRUST_MAP, COVERAGE = "trust", "coverage"
OF_KEPT_ASIDE = (TRUST_MAP, COVERAGE)
"""Drawings that need configurations kept aside."""

WIDTH, HEIGHT = 10.0, 3.6
HEIGHTS = {TRUST_MAP: 5.0, "predicted": 3.1}
"""Sizes in inches: of all drawings, and other heights."""

MIN_IN_BAND = 5
"""Smallest number of configurations of one size or thread count that the band of the middle 80 % includes."""

SHOWN_PERCENT = 25.0
"""Larger errors are drawn at the edge of the plots by size and threads; the table of misses names the largest."""


def drawings(calibration: Calibration) -> dict[str, Markup]:
    """Name -> drawing with its caption."""
    aside = bool(_judged(calibration))
    compared = KEPT_ASIDE if aside else FITTED
    plots: list[tuple[str, str, Callable[[Calibration, Figure], None]]] = [
        (
            TRUST_MAP,
            "Error exceeded by one unseen configuration in ten (%). An empty panel: not measured; predict refuses such "
            "points.",
            draw_map,
        ),
        (
            "predicted",
            f"Predicted over measured bandwidth, {compared}; grey: within 10 %.",
            _predicted,
        ),
        (
            "by-size",
            f"Error by access size, a point each, {compared}. Line: median, band: the middle 80 %, both "
            f"where {MIN_IN_BAND} or more configurations have the same value; grey: nine in ten repetitions of one "
            f"measurement lie there. A triangle is an error larger than {SHOWN_PERCENT:g} %; a band ends there too.",
            _by_size,
        ),
        ("by-threads", "Error by thread count, in the same way.", _by_threads),
        ("noise", "Error beside the noise floor: what repeating a measurement gives.", _noise),
        (
            COVERAGE,
            "Share of kept-aside configurations inside their 90 % interval. Bar: 90 % interval of the share, by the "
            "number of configurations; grey: {:g} to {:g} %.".format(*TARGET_PERCENT),
            _coverage,
        ),
    ]
    plots = [plot for plot in plots if aside or plot[0] not in OF_KEPT_ASIDE]
    evidence, interval = calibration.evidence, ", and its 90 % interval" if aside else ""
    shown = (
        (evidence.mixes, "mixes", f"Bandwidth of reads beside writes{interval}.", draw_mixes),
        (evidence.loads, "load", "Latency of a read beside a growing load of writes.", draw_load),
        (evidence.tail, "tail", "High percentiles of single writes by the size of the hot spot.", draw_tail),
    )
    plots += [(name, caption, draw) for rows, name, caption, draw in shown if rows]
    return {name: figure_html(_svg(calibration, name, draw, caption), caption) for name, caption, draw in plots}


def _svg(calibration: Calibration, name: str, draw: Callable[[Calibration, Figure], None], alt: str) -> Markup:
    with styled() as plt:
        figure = plt.figure(figsize=(WIDTH, HEIGHTS.get(name, HEIGHT)), layout="constrained")
        draw(calibration, figure)
        return inline(svg_bytes(figure), name, alt)


def _judged(calibration: Calibration) -> dict[str, Judged]:
    judged = ((name, each, each.unseen_configurations) for name, each in calibration.operations.items())
    return {name: (each, errors) for name, each, errors in judged if errors is not None}


class _Compared(NamedTuple):
    configurations: Configurations
    errors: np.ndarray
    """Logarithm of predicted over measured."""


def _compared(calibration: Calibration) -> dict[str, _Compared]:
    """Operation -> kept-aside configurations, or the fitted ones without any, with the errors of predictions."""
    if judged := _judged(calibration):
        return {
            name: _Compared(each.configurations.take(unseen.index), unseen.full)
            for name, (each, unseen) in judged.items()
        }
    return {name: _Compared(each.configurations, fit_errors(each)) for name, each in calibration.operations.items()}


def _points(axes: Axes, x: np.ndarray, y: np.ndarray, random: np.ndarray, colour: str, size: float) -> None:
    """Random accesses as filled circles, sequential ones as open squares."""
    axes.plot(x[random], y[random], "o", ms=size, alpha=0.55, color=colour, mew=0)
    axes.plot(x[~random], y[~random], "s", ms=size, alpha=0.7, color=colour, mfc="none", mew=0.7)


def _pattern_legend(figure: Figure) -> None:
    handles = [
        Line2D([], [], ls="", marker="o", color="0.35", mew=0, label="random"),
        Line2D([], [], ls="", marker="s", color="0.35", mfc="none", label="sequential"),
    ]
    figure.legend(handles=handles, loc="outside upper right", ncols=2, frameon=False, fontsize=8)


def _predicted(calibration: Calibration, figure: Figure) -> None:
    compared = _compared(calibration)
    panels = figure.subplots(1, len(compared), squeeze=False)[0]
    for axes, (name, (c, errors)) in zip(panels, compared.items(), strict=True):
        predicted = c.bandwidth_mib_s * np.exp(errors)
        ends = np.concatenate([c.bandwidth_mib_s, predicted])
        line = np.array([0.8 * ends.min(), 1.25 * ends.max()])
        axes.fill_between(line, 0.9 * line, 1.1 * line, color="0.9", zorder=0, lw=0)
        axes.plot(line, line, color="0.4", lw=0.8, zorder=0)
        _points(axes, c.bandwidth_mib_s, predicted, c.random, COLOURS[name], 3.2)
        axes.set(xscale="log", yscale="log", xlim=line, ylim=line, title=name, xlabel="measured (MiB/s)")
        axes.set_box_aspect(1)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
            axis.set_major_formatter(FuncFormatter(_short))
            axis.set_minor_formatter(NullFormatter())
    figure.axes[0].set_ylabel("predicted (MiB/s)")
    _pattern_legend(figure)


def _short(value: float, _place: int = 0) -> str:
    """3000 -> 3k: bandwidths in MiB/s."""
    return f"{value / 1000:g}k" if value >= 1000 else f"{value:g}"


def _binary(value: float, _place: int = 0) -> str:
    """4096 -> 4K: access sizes and thread counts."""
    for unit, size in (("M", 1 << 20), ("K", 1 << 10)):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def _by_size(calibration: Calibration, figure: Figure) -> None:
    _spread(calibration, figure, "access_size_bytes", "access size (B)")


def _by_threads(calibration: Calibration, figure: Figure) -> None:
    _spread(calibration, figure, "threads", "threads")


def _spread(calibration: Calibration, figure: Figure, column: str, label: str) -> None:
    compared = _compared(calibration)
    panels = figure.subplots(1, len(compared), sharey=True, squeeze=False)[0]
    noise = float(np.quantile(calibration.noise, 0.9)) if calibration.noise.size else 0.0
    largest = 1.0
    for axes, (name, (c, errors)) in zip(panels, compared.items(), strict=True):
        values, percent = getattr(c, column), 100.0 * np.expm1(errors)
        axes.axhspan(-noise, noise, color="0.9", zorder=0, lw=0)
        axes.axhline(0.0, color="0.4", lw=0.8)
        shown = np.clip(percent, -SHOWN_PERCENT, SHOWN_PERCENT)
        inside = shown == percent
        _points(axes, values[inside], percent[inside], c.random[inside], COLOURS[name], 2.2)
        for marker, beyond in (("^", percent > SHOWN_PERCENT), ("v", percent < -SHOWN_PERCENT)):
            axes.plot(values[beyond], shown[beyond], marker, ms=6, color=COLOURS[name], mec="black", mew=0.5)
        if not np.all(inside):
            note = f"{np.sum(~inside)} beyond the edge, up to {percent[np.argmax(np.abs(percent))]:+.0f} %"
            axes.text(0.02, 0.97, note, transform=axes.transAxes, va="top", fontsize=7)
        _band(axes, values, shown, COLOURS[name])
        largest = max(largest, float(np.max(np.abs(shown))))
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(_binary))
        axes.set(title=name, xlabel=label)
    panels[0].set(ylabel="predicted over measured - 1 (%)", ylim=(-1.15 * largest, 1.15 * largest))
    _pattern_legend(figure)


def _band(axes: Axes, values: np.ndarray, percent: np.ndarray, colour: str) -> None:
    """Draw the median and the middle 80 % of each value with enough configurations."""
    knots, counts = np.unique(values, return_counts=True)
    knots = knots[counts >= MIN_IN_BAND]
    if not knots.size:
        return
    low, middle, high = np.array([np.quantile(percent[values == knot], (0.1, 0.5, 0.9)) for knot in knots]).T
    axes.fill_between(knots, low, high, color=colour, alpha=0.22, lw=0)
    axes.plot(knots, middle, "-", color=colour, lw=1.4)


def _noise(calibration: Calibration, figure: Figure) -> None:
    axes = figure.subplots()
    for name, (_, errors) in _compared(calibration).items():
        _cumulative(axes, 100.0 * np.abs(np.expm1(errors)), name, COLOURS[name])
    if calibration.noise.size:
        _cumulative(axes, calibration.noise, "replicates (noise floor)", "0.3")
    else:
        axes.text(
            0.98, 0.04, "nothing was measured twice:\nthe noise is not known", ha="right", transform=axes.transAxes
        )
    axes.set(xlabel="absolute error (%)", ylabel="share of configurations", xlim=(0.05, 30), ylim=(0, 1), xscale="log")
    axes.set_xticks([0.1, 0.3, 1, 3, 10, 30], ["0.1", "0.3", "1", "3", "10", "30"])
    axes.grid(color="0.92")
    axes.legend(frameon=False)


def _cumulative(axes: Axes, values: np.ndarray, label: str, colour: str) -> None:
    axes.step(np.sort(values), np.arange(1, values.size + 1) / values.size, where="post", color=colour, label=label)


def _coverage(calibration: Calibration, figure: Figure) -> None:
    draw_coverage(_judged(calibration), figure, COLOURS, calibration.measurements.context.dimms_assumed)
