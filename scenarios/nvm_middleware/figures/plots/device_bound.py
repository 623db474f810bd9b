"""Loads that the device decides: the best pools of each device, and their loss on another."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.sim.numerics.statistics import mean_interval

FAINT = 0.55
"""Share of the best from which a cell is so dark that its text is black."""


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `device-bound`."""
    data = results["device-bound"]
    return Rendered([_grids(data), _costs(data)], [_best_table(data), _cost_table(data)])


def kept(context: dict, tuned: str, device: str) -> np.ndarray:
    """Throughput on a device with the pools that are best for another, over that with its own best; by seed."""
    results = context["found"]
    return np.array(results[tuned][device]["throughput_ops"]) / np.array(results[device][device]["throughput_ops"])


def _short(device: str) -> str:
    return device.replace(", ", "\n")


def _grids(data: dict) -> Drawing:
    sizes = sorted({pools[0] for pools in data["pools"]})
    contexts = data["contexts"]
    figure, panels = plt.subplots(
        len(contexts), len(data["devices"]), figsize=(PAGE_IN, 1.75 * len(contexts)), sharex=True, sharey=True
    )
    for row, (number, context) in zip(panels, contexts.items(), strict=True):
        for axes, device in zip(row, data["devices"], strict=True):
            grid = np.array(context["grid"][device]).reshape(len(sizes), len(sizes))
            image = axes.pcolormesh(grid / grid.max(), cmap="cividis", vmin=0.0, vmax=1.0, edgecolors="white", lw=0.3)
            i, b = context["best"][device]
            axes.plot(sizes.index(b) + 0.5, sizes.index(i) + 0.5, "*", color="white", ms=10, mec="black", mew=0.7)
            axes.text(0.97, 0.95, f"{i},{b}", transform=axes.transAxes, ha="right", va="top", fontweight="bold",
                      bbox={"facecolor": "white", "alpha": 0.85, "edgecolor": "none", "pad": 1.5})  # fmt: skip
            axes.set_xticks(np.arange(len(sizes)) + 0.5, [str(n) if n in (1, 4, 8, 16, 32) else "" for n in sizes])
            axes.set_yticks(np.arange(len(sizes)) + 0.5, [str(n) if n in (1, 4, 8, 16, 32) else "" for n in sizes])
            axes.tick_params(length=0)
            axes.grid(False)
            axes.spines[:].set_visible(False)
        row[0].set_ylabel(f"context {number}\ninteractive threads")
    for axes, device in zip(panels[0], data["devices"], strict=True):
        axes.set_title(device)
    for axes in panels[-1]:
        axes.set_xlabel("batch threads")
    bar = figure.colorbar(image, ax=panels, pad=0.01, aspect=40)
    bar.set_label("throughput, of the device's highest")
    bar.outline.set_visible(False)
    return Drawing(
        "device-bound",
        figure,
        "Throughput of fixed pools where the device decides, as a share of the highest on the same device; the star "
        "and the numbers are the pools with the best reward there.",
        "Heat maps of throughput over interactive and batch threads: few threads are best on one Optane module, many "
        "on six DRAM modules.",
    )


def _costs(data: dict) -> Drawing:
    devices, contexts = data["devices"], data["contexts"]
    figure, panels = plt.subplots(1, len(contexts), figsize=(PAGE_IN, 2.35), sharey=True)
    for axes, (number, context) in zip(panels, contexts.items(), strict=True):
        share = np.array([[kept(context, tuned, device).mean() for device in devices] for tuned in devices])
        axes.pcolormesh(share, cmap="cividis", vmin=0.2, vmax=1.0, edgecolors="white", linewidth=1.2)
        for (row, column), value in np.ndenumerate(share):
            met = np.mean(context["found"][devices[row]][devices[column]]["attainment"]) >= 0.5
            colour = "black" if value > FAINT else "white"
            text = f"{100 * value:.0f}" + ("" if met else "×")
            axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, fontsize=7.5)
        axes.set_xticks(np.arange(len(devices)) + 0.5, [_short(name) for name in devices], fontsize=6, rotation=90)
        axes.set_yticks(np.arange(len(devices)) + 0.5, devices)
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
        axes.set(title=f"context {number}", xlabel="runs on")
    panels[0].set_ylabel("pools best for")
    panels[0].invert_yaxis()
    goals = data["goals"]
    return Drawing(
        "device-bound-cost",
        figure,
        "Throughput in percent of the device's own best when the pools that are best for one device (row) run on "
        f"another (column); × where the goals of {goals['latency_us']:,.0f} us and {goals['throughput_ops']:,.0f} "
        "operations/s are missed in most windows.",
        "Four matrices: pools tuned for DRAM or for six modules lose a large part of the throughput of one Optane "
        "module.",
    )


def _best_table(data: dict) -> Table:
    rows = []
    for number, context in data["contexts"].items():
        for device in data["devices"]:
            results = context["found"][device][device]
            means = (float(np.mean(results[name])) for name in ("reward", "throughput_ops", "p99_us", "attainment"))
            rows.append((int(number), device, "{},{}".format(*context["best"][device]), *means))
    header = ("context", "device", "best pools", "reward", "ops/s", "p99 us", "attainment")
    return Table("device-bound-best", "Best fixed pools of each device", header, rows)


def _cost_table(data: dict) -> Table:
    rows = []
    for number, context in data["contexts"].items():
        for tuned in data["devices"]:
            for device in data["devices"]:
                if tuned == device or context["best"][tuned] == context["best"][device]:
                    continue
                other, best = context["found"][tuned][device], context["found"][device][device]
                lost = mean_interval((100.0 * (1.0 - kept(context, tuned, device))).tolist())
                less = mean_interval((np.array(best["reward"]) - np.array(other["reward"])).tolist())
                pools = "{},{}".format(*context["best"][tuned])
                values = (end for part in (lost, less) for end in (part["mean"], part["low"], part["high"]))
                rows.append((int(number), tuned, device, pools, *values, float(np.mean(other["attainment"]))))
    header = ("context", "best for", "runs on", "pools", "throughput lost %", "low", "high",
              "reward lost", "low", "high", "attainment")  # fmt: skip
    note = f"Against the device's own best pools on the same requests; 95 % intervals over {data['seeds']} seeds."
    return Table("device-bound-cost", "What tuning on the wrong device costs", header, rows, note)
