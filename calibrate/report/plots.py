"""The plots of the fit report, all of predictions for configurations that were kept aside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from calibrate.build import Calibration
from calibrate.calibration import OperationCalibration
from calibrate.report.trust import draw_map
from sim.files import write_atomically

DPI = 110
COLOURS = {"load": "#0072b2", "ntstore": "#d55e00", "store_clwb": "#009e73", "store": "#cc79a7"}
"""Okabe and Ito's palette: also for readers who do not tell red from green."""

TRUST_MAP = "trust.png"
HEIGHTS = {TRUST_MAP: 4.6, "predicted.png": 5.4}
"""In inches, where it is not 4.2; all are 10 wide."""

MIN_IN_BAND = 5
"""Fewer configurations of one size or thread count have no middle 80 %."""


def write_plots(calibration: Calibration, folder: Path) -> list[tuple[str, str]]:
    """Write all plots into `folder`; returns (file name, caption) of each."""
    plots: list[tuple[str, str, Callable[[Calibration, Figure], None]]] = [
        (TRUST_MAP, "Error that one unseen configuration in ten exceeds, in %; hatched: never measured.", draw_map),
        ("predicted.png", "Predicted over measured bandwidth of kept-aside configurations.", _predicted),
        ("by-size.png", "Error by access size: median, and the middle 80 % of configurations.", _by_size),
        ("by-threads.png", "Error by thread count: median, and the middle 80 % of configurations.", _by_threads),
        ("noise.png", "Error beside the noise floor: what repeating a measurement gives.", _noise),
        (
            "coverage.png",
            "Share of kept-aside configurations inside their 90 % interval; the band is 85 to 97 %.",
            _coverage,
        ),
    ]
    for name, _, draw in plots:
        figure = Figure(figsize=(10, HEIGHTS.get(name, 4.2)), layout="constrained")
        FigureCanvasAgg(figure)
        draw(calibration, figure)
        write_atomically(folder / name, lambda file, f=figure: f.savefig(file, dpi=DPI, format="png"), "wb", "report")
    return [(name, caption) for name, caption, _ in plots]


def _judged(calibration: Calibration) -> dict[str, OperationCalibration]:
    return {name: each for name, each in calibration.operations.items() if each.unseen_configurations is not None}


def _predicted(calibration: Calibration, figure: Figure) -> None:
    axes = figure.subplots()
    ends = []
    for name, each in _judged(calibration).items():
        unseen = each.unseen_configurations
        measured = each.configurations.bandwidth_mib_s[unseen.index]
        axes.plot(measured, measured * np.exp(unseen.full), ".", ms=4, alpha=0.6, color=COLOURS[name], label=name)
        ends += [measured.min(), measured.max()]
    line = np.array([min(ends), max(ends)])
    axes.fill_between(line, 0.9 * line, 1.1 * line, color="0.9", zorder=0, label="within 10 %")
    axes.plot(line, line, color="0.4", lw=1, zorder=0)
    axes.set(xscale="log", yscale="log", xlabel="measured (MiB/s)", ylabel="predicted (MiB/s)")
    axes.legend(frameon=False, markerscale=2.5)


def _by_size(calibration: Calibration, figure: Figure) -> None:
    _spread(calibration, figure, "access_size_bytes", "access size (B)")


def _by_threads(calibration: Calibration, figure: Figure) -> None:
    _spread(calibration, figure, "threads", "threads")


def _spread(calibration: Calibration, figure: Figure, column: str, label: str) -> None:
    judged = _judged(calibration)
    panels = figure.subplots(1, len(judged), sharey=True, squeeze=False)[0]
    for axes, (name, each) in zip(panels, judged.items(), strict=True):
        unseen = each.unseen_configurations
        values = getattr(each.configurations, column)[unseen.index]
        knots, counts = np.unique(values, return_counts=True)
        knots = knots[counts >= MIN_IN_BAND]
        percent = 100.0 * np.expm1(unseen.full)
        low, middle, high = np.array([np.quantile(percent[values == knot], (0.1, 0.5, 0.9)) for knot in knots]).T
        axes.fill_between(knots, low, high, color=COLOURS[name], alpha=0.25, lw=0)
        axes.plot(knots, middle, ".-", color=COLOURS[name], ms=4, lw=1)
        _zero_line(axes, name, label)
    panels[0].set_ylabel("predicted over measured - 1 (%)")


def _zero_line(axes: Axes, title: str, label: str) -> None:
    axes.axhline(0.0, color="0.4", lw=0.8)
    axes.set_xscale("log", base=2)
    axes.set(title=title, xlabel=label)


def _noise(calibration: Calibration, figure: Figure) -> None:
    axes = figure.subplots()
    for name, each in _judged(calibration).items():
        _cumulative(axes, 100.0 * np.abs(np.expm1(each.unseen_configurations.full)), name, COLOURS[name])
    if calibration.noise.size:
        _cumulative(axes, calibration.noise, "replicates (noise floor)", "0.3")
    axes.set(xlabel="absolute error (%)", ylabel="share of configurations", xlim=(0.05, 30), ylim=(0, 1), xscale="log")
    axes.legend(frameon=False)


def _cumulative(axes: Axes, values: np.ndarray, label: str, colour: str) -> None:
    axes.step(np.sort(values), np.arange(1, values.size + 1) / values.size, where="post", color=colour, label=label)


def _coverage(calibration: Calibration, figure: Figure) -> None:
    """Share inside the interval by operation, pattern and DIMMs, each judged without its own fold."""
    axes = figure.subplots()
    shares, labels, colours = [], [], []
    for name, each in _judged(calibration).items():
        of = each.configurations.take(each.unseen_configurations.index)
        covered = np.abs(each.unseen_configurations.full) <= each.half_widths["configurations"]
        for pattern, dimms in sorted(set(zip(of.pattern.tolist(), of.dimms.tolist(), strict=True))):
            inside = (of.pattern == pattern) & (of.dimms == dimms)
            shares.append(100.0 * covered[inside].mean())
            labels.append(f"{pattern}\n{dimms:g} DIMM\n{inside.sum()}")
            colours.append(COLOURS[name])
    axes.axhspan(85, 97, color="0.92", zorder=0)
    axes.axhline(90, color="0.4", lw=0.8)
    axes.bar(np.arange(len(shares)), shares, color=colours, width=0.6)
    axes.set_xticks(np.arange(len(shares)), labels, fontsize=7)
    axes.set(ylabel="inside the 90 % interval (%)", ylim=(60, 101), xlabel="pattern, DIMMs, configurations")
    handles = [Patch(color=COLOURS[name], label=name) for name in _judged(calibration)]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
