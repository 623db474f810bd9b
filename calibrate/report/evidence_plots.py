"""Plots of predictions beside measurements for the fit report: mixes, latency under load, the tail of writes."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from pmtwin.calibrate.build import Calibration
from pmtwin.calibrate.effects.mix_rows import FIGURE_6_SIZE_BYTES, FIGURE_6_THREADS, MixRow
from pmtwin.calibrate.effects.mixes import points_of_mixes, under_load
from pmtwin.calibrate.effects.tail import COLUMNS, MEAN_NS
from pmtwin.sim.device.access_latency import AccessLatency
from pmtwin.sim.device.prediction import predict
from pmtwin.sim.device.profile import Profile

MEASURED, PREDICTED = "#d55e00", "#0072b2"
PERCENTILES = {"p99.9": 0.999, "p99.99": COLUMNS["99.99%"], "p99.999": COLUMNS["99.999%"]}
DASHES = ("-", "--", ":")
MARKERS = ("o", "s", "^")


def draw_mixes(calibration: Calibration, figure: Figure) -> None:
    """Total bandwidth over the share of writers, one panel for each kind of write and node."""
    rows = calibration.evidence.mixes
    names = sorted({(row.write_operation, row.node) for row in rows})
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for axes, (operation, node) in zip(panels, names, strict=True):
        matching = sorted((row for row in rows if (row.write_operation, row.node) == (operation, node)), key=_share)
        share = [row.write_share for row in matching]
        axes.plot(share, [row.total for row in matching], "o", color=MEASURED, label="measured")
        predicted = predict(calibration.profile, points_of_mixes(matching))
        axes.plot(share, predicted["bandwidth_mib_s"], color=PREDICTED, label="predicted")
        axes.fill_between(
            share, predicted["bandwidth_low_mib_s"], predicted["bandwidth_high_mib_s"], color=PREDICTED, alpha=0.2, lw=0
        )
        axes.set(title=f"loads and {operation}, {node} node", xlabel="share of the threads that write", ylim=(0, None))
    panels[0].set_ylabel("bandwidth (MiB/s)")
    panels[0].legend(frameon=False)


def draw_load(calibration: Calibration, figure: Figure) -> None:
    """Latency of a dependent read over the load of writes."""
    axes, rows = figure.subplots(), calibration.evidence.loads
    axes.plot([row.bandwidth_mib_s for row in rows], [row.latency_ns for row in rows], "o", color=MEASURED)
    load = np.linspace(1.0, max(row.bandwidth_mib_s for row in rows), 200)
    axes.plot(load, under_load(calibration.profile, load)["read_latency_ns"], color=PREDICTED)
    text = f"load (MiB/s): {FIGURE_6_THREADS - 1:g} threads, sequential ntstore of {FIGURE_6_SIZE_BYTES:g} B"
    axes.set(xlabel=text, ylabel="latency of a read (ns)", ylim=(0, None))


def draw_tail(calibration: Calibration, figure: Figure) -> None:
    """High percentiles of single writes over the size of the hot spot."""
    axes, profile = figure.subplots(), calibration.profile
    regions = np.geomspace(256, 2**26, 120)
    for (name, q), dash, marker in zip(PERCENTILES.items(), DASHES, MARKERS, strict=True):
        axes.plot(regions, tail_curve(profile, regions, q), dash, color=PREDICTED, label=f"{name}, model")
        rows = [row for row in calibration.evidence.tail if q in row.quantiles_ns]
        if rows:
            measured = [row.quantiles_ns[q] for row in rows]
            axes.plot([row.region_bytes for row in rows], measured, marker, color=MEASURED, label=f"{name}, measured")
    axes.set(xscale="log", yscale="log", xlabel="size of the hot spot (B)", ylabel="latency of a 256 B write (ns)")
    axes.legend(frameon=False, ncols=2)


def tail_curve(profile: Profile, regions_bytes: np.ndarray, probability: float) -> np.ndarray:
    """Quantile in ns of single writes of one media line to hot spots of these sizes."""
    return np.array([AccessLatency(MEAN_NS, profile.tail, 1.0, size).quantile(probability) for size in regions_bytes])


def _share(row: MixRow) -> float:
    return row.write_share
