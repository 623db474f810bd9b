"""Bandwidth of the device model by threads, size and mix, over the measured points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREEN, ORANGE, PAGE_IN, PINK
from pmtwin.figures.experiments.device import SWEEP

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MIB_PER_GIB = 1024.0
TITLES = {"load": "load", "ntstore": "ntstore", "store_clwb": "store + clwb", "mix": "mix of 16 threads"}
LINES = (BLUE, ORANGE, GREEN, PINK)
MARKERS = ("o", "s", "^", "D")


def render_threads(results: dict) -> Rendered:
    """Bandwidth by threads, from the values of the experiment `device`."""
    return _render(results["device"], "threads", "device-threads", "threads", "Bandwidth by threads")


def render_sizes(results: dict) -> Rendered:
    """Bandwidth by access size."""
    return _render(results["device"], "sizes", "device-sizes", "access size (B)", "Bandwidth by access size")


def render_mix(results: dict) -> Rendered:
    """Bandwidth by mix, as FAST'20 figure 6."""
    data = results["device"]
    mix = data["mix"]
    figure, axes = plt.subplots(figsize=(0.5 * PAGE_IN, 2.3))
    _curve(axes, mix, BLUE, "o")
    axes.plot([], [], color=BLUE, label="model, 90 % interval")
    if mix["points"]:
        axes.plot([], [], "o", color=BLUE, markeredgecolor="white", label="FAST'20, figure 6")
    axes.set(xlabel="reading threads of 16 (the others write)", ylabel="bandwidth (GiB/s)", ylim=(0, None))
    axes.set_xlim(-0.3, 16.3)
    axes.set_xticks(range(0, 17, 4))
    axes.legend(loc="upper left")
    error = _median_error([mix])
    source = "Points: the curve of the paper. " if mix["points"] else _provenance(data)
    caption = (
        "Random accesses of 64 B by 16 threads, reads beside non-temporal stores: every thread gets an equal share of "
        "the media's time; what mixing adds to that is fitted to the same curve, beside the curve's own pure ends. "
        f"{source}{error}"
    )
    drawing = Drawing("device-mix", figure, caption, "Bandwidth over the number of reading threads.")
    return Rendered([drawing], [_table("device-mix", [dict(mix, operation="mixed", fixed=16)], "reading_threads")])


def _render(data: dict, axis: str, name: str, label: str, title: str) -> Rendered:
    curves = data[axis]
    operations = list(dict.fromkeys(curve["operation"] for curve in curves))
    figure, panels = plt.subplots(1, len(operations), figsize=(PAGE_IN, 2.35))
    for axes, operation in zip(panels, operations, strict=True):
        chosen = [curve for curve in curves if curve["operation"] == operation]
        for curve, colour, marker in zip(chosen, LINES, MARKERS, strict=False):
            _curve(axes, curve, colour, marker)
            style = {"marker": marker, "markeredgecolor": "white"} if curve["points"] else {}
            axes.plot([], [], color=colour, label=_fixed_label(axis, curve["fixed"]), **style)
        _dress(axes, axis, label)
        axes.set_title(TITLES[operation])
    panels[0].set_ylabel("bandwidth (GiB/s)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), handletextpad=0.5)
    caption = (
        f"Random accesses over {data['dimms']} interleaved DIMMs at {data['power_w']:g} W. Lines: the law; bands: its "
        f"90 % prediction interval for a new configuration; dashed: outside the fitted range. "
        f"{_provenance(data)}{_median_error(curves)}"
    )
    drawing = Drawing(name, figure, caption, f"{title} for load, ntstore and store with clwb.")
    return Rendered([drawing], [_table(name, curves, "threads" if axis == "threads" else "access_size_bytes")])


def _curve(axes: Axes, curve: dict, colour: str, marker: str) -> None:
    x = np.array(curve["x"])
    y = np.array(curve["bandwidth_mib_s"]) / MIB_PER_GIB
    outside = np.array(curve["extrapolated"])
    if curve["low_mib_s"] is not None:
        low, high = (np.array(curve[name]) / MIB_PER_GIB for name in ("low_mib_s", "high_mib_s"))
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, np.where(outside, np.nan, y), color=colour)
    if outside.any():
        axes.plot(x, np.where(outside, y, np.nan), color=colour, linestyle="--", linewidth=1.0)
    if curve["points"]:
        points = np.array(curve["points"]["bandwidth_mib_s"]) / MIB_PER_GIB
        axes.plot(curve["points"]["x"], points, marker, color=colour, markeredgecolor="white", markeredgewidth=0.5)


def _dress(axes: Axes, axis: str, label: str) -> None:
    axes.set(xlabel=label, ylim=(0, None))
    if axis == "sizes":
        axes.set_xscale("log", base=2)
        axes.set_xticks([64, 1024, 16_384, 262_144, 2_097_152], ["64", "1 Ki", "16 Ki", "256 Ki", "2 Mi"])
        axes.minorticks_off()
    else:
        axes.set_xlim(0, 24.8)
        axes.set_xticks([1, 4, 8, 12, 16, 20, 24])


def _fixed_label(axis: str, fixed: int) -> str:
    if axis == "sizes":
        return f"{fixed} thread{'s' if fixed > 1 else ''}"
    if fixed >= 2**20:
        return f"{fixed // 2**20} MiB"
    return f"{fixed // 1024} KiB" if fixed >= 1024 else f"{fixed} B"


def _provenance(data: dict) -> str:
    if SWEEP in data["data"]:
        return f"Points: medians of the real measurements that the law was fitted to ({SWEEP}). "
    return "The folder of real measurements is not at hand: the model's curves alone. "


def _median_error(curves: list[dict]) -> str:
    """Median absolute percentage error of the points shown, where there are any."""
    errors = []
    for curve in curves:
        if curve["points"] and curve["points"]["x"]:
            modelled = np.interp(curve["points"]["x"], curve["x"], curve["bandwidth_mib_s"])
            errors.append(np.abs(modelled / np.array(curve["points"]["bandwidth_mib_s"]) - 1.0))
    if not errors:
        return ""
    return f"Median error over the points shown: {100 * float(np.median(np.concatenate(errors))):.1f} %."


def _table(name: str, curves: list[dict], x_name: str) -> Table:
    """Curves and points as rows; a point has no interval."""
    rows = []
    for curve in curves:
        low, high = (curve[key] or [None] * len(curve["x"]) for key in ("low_mib_s", "high_mib_s"))
        columns = zip(curve["x"], curve["bandwidth_mib_s"], low, high, strict=True)
        rows += [(curve["operation"], curve["fixed"], "model", *values) for values in columns]
        points = curve["points"] or {"x": [], "bandwidth_mib_s": []}
        pairs = zip(points["x"], points["bandwidth_mib_s"], strict=True)
        rows += [(curve["operation"], curve["fixed"], "measured", *pair, None, None) for pair in pairs]
    fixed = {"threads": "access_size_bytes", "access_size_bytes": "threads", "reading_threads": "threads"}[x_name]
    header = ("operation", fixed, "kind", x_name, "bandwidth_mib_s", "low_mib_s", "high_mib_s")
    return Table(name, "Curves and points", header, rows, shown=False)
