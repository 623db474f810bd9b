"""Time of requests: stacked bars by station, DRAM beside Optane, and a map of the limiting station."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import BLUE, GREEN, GREY, ORANGE, PAGE_IN, PINK, SKY, VERMILION
from pmtwin.sim.load.workload import CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WAITING = "#d9d9d9"
COLOURS = {
    "offered load": "#f2f2f2",
    "queue": WAITING,
    "hand-off": ORANGE,
    "host": PINK,
    "store": GREEN,
    "gate": GREY,
    "device read": SKY,
    "device write": BLUE,
    "stall": VERMILION,
}
"""Station -> colour, in both figures; the device is blue."""

STORES = {"thesis": "as in the thesis", "lean": "lean host and store"}


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `explain`."""
    data = results["explain"]
    return Rendered([_bars_drawing(data), _map_drawing(data)], [_control_table(data), _bars_table(data)])


def settings(data: dict) -> list[list[int] | None]:
    """The settings in their order; None is no middleware."""
    seen = []
    for bar in data["bars"]:
        if bar["pools"] not in seen:
            seen.append(bar["pools"])
    return seen


def label(pools: list[int] | None) -> str:
    """A setting as an axis calls it."""
    return "none" if pools is None else f"{pools[0]},{pools[1]}"


def bar_of(data: dict, profile: str, phase: int, pools: list[int] | None) -> dict:
    """The bar of a setting."""
    return next(bar for bar in data["bars"] if (bar["profile"], bar["phase"], bar["pools"]) == (profile, phase, pools))


def _bars_drawing(data: dict) -> Drawing:
    import matplotlib.pyplot as plt

    phases = sorted({bar["phase"] for bar in data["bars"]})
    figure, panels = plt.subplots(2, len(phases), figsize=(PAGE_IN, 3.9), sharey=True, sharex=True)
    for row, name in zip(panels, CLASSES, strict=True):
        for axes, phase in zip(row, phases, strict=True):
            _bars(axes, data, phase, name)
        row[0].set_ylabel(f"{name}: % of the time")
    for axes, phase in zip(panels[0], phases, strict=True):
        axes.set_title(f"phase {phase}")
    for axes in panels[1]:
        axes.set_xlabel("pools")
    shown = [name for name in data["stations"] if name != "queue"]
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLOURS[name]) for name in shown]
    figure.legend(handles, shown, loc="outside lower center", ncols=len(shown), columnspacing=1.2, handlelength=1.0)
    return Drawing(
        "time-by-station",
        figure,
        "Where a request spends its time from the moment a worker takes it, for pools of so many interactive and batch "
        "threads and without a middleware; the left bar of a pair is Optane, the hatched right one the same with DRAM "
        "in its place. The number above is the mean time on Optane in us. The time in queue before, which follows from "
        "these, is in the table.",
        "Stacked bars of time by station for each phase and class: hand-off and store dominate, the device is small.",
    )


def _bars(axes: Axes, data: dict, phase: int, name: str) -> None:
    width, stations = 0.36, data["stations"]
    for place, pools in enumerate(settings(data)):
        for side, profile in enumerate(("Optane", "DRAM")):
            times = bar_of(data, profile, phase, pools)["time"].get(name, [0.0] * len(stations))[1:]
            total, x, base = sum(times), place + (side - 0.5) * (width + 0.05), 0.0
            for station, value in zip(stations[1:], times, strict=True):
                hatch: dict[str, Any] = {"hatch": "/////", "edgecolor": "white", "linewidth": 0.0} if side else {}
                share = 100.0 * value / total if total else 0.0
                axes.bar(x, share, width, base, color=COLOURS[station], **hatch)
                base += share
            if not side:
                axes.text(place, 103.0, number(total), ha="center", va="bottom", fontsize=7, color="#222222")
    axes.set_ylim(0.0, 116.0)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.set_xticks(range(len(settings(data))), [label(pools) for pools in settings(data)])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)


def _map_drawing(data: dict) -> Drawing:
    import matplotlib.pyplot as plt
    from matplotlib.colors import BoundaryNorm, ListedColormap

    names = [name for name in COLOURS if any(cell["limits"] == name for cell in data["map"])]
    colours = ListedColormap([COLOURS[name] for name in names])
    norm = BoundaryNorm(np.arange(len(names) + 1) - 0.5, len(names))
    dimms = sorted({cell["dimms"] for cell in data["map"]})
    loads, sizes = (sorted({cell[key] for cell in data["map"]}) for key in ("load_ops", "size_bytes"))
    figure, panels = plt.subplots(len(STORES), len(dimms), figsize=(PAGE_IN, 4.0), sharex=True, sharey=True)
    for row, (store, title) in zip(panels, STORES.items(), strict=True):
        for axes, count in zip(row, dimms, strict=True):
            grid = np.array([[_limit(data, store, count, load, size, names) for size in sizes] for load in loads])
            axes.pcolormesh(grid, cmap=colours, norm=norm, edgecolors="white", linewidth=1.5)
            axes.set_xticks(np.arange(len(sizes)) + 0.5, [_bytes(size) for size in sizes])
            axes.set_yticks(np.arange(len(loads)) + 0.5, [f"{load / 1000:.0f} k" for load in loads])
            axes.tick_params(length=0)
            axes.grid(False)
            axes.spines[:].set_visible(False)
            axes.set_title(f"{count} DIMM{'s' if count > 1 else ''}")
        row[0].set_ylabel(f"{title}\noffered operations/s")
    for axes in panels[-1]:
        axes.set_xlabel("value size")
    handles = [
        plt.Rectangle((0, 0), 1, 1, facecolor=COLOURS[name], edgecolor="#bbbbbb", linewidth=0.5) for name in names
    ]
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), columnspacing=1.4, handlelength=1.0)
    i, b = data["map_pools"]
    return Drawing(
        "limiting-station",
        figure,
        f"The station that limits with pools of {i},{b} on Optane, half of the operations writes: where the workers "
        "spend most of their time, or the offered load where nearly all of it is answered. The lean host and store are "
        "those of the context set device-bound.",
        "Small maps over value size and offered load, by number of DIMMs and store, coloured by the limiting station.",
    )


def _limit(data: dict, store: str, dimms: int, load: float, size: int, names: list[str]) -> int:
    keys, wanted = ("store", "dimms", "load_ops", "size_bytes"), (store, dimms, load, size)
    return names.index(next(cell["limits"] for cell in data["map"] if tuple(cell[key] for key in keys) == wanted))


def _bytes(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size // 1024} K"


def _control_table(data: dict) -> Table:
    rows = []
    for bar in data["bars"]:
        if bar["profile"] == "Optane":
            dram = bar_of(data, "DRAM", bar["phase"], bar["pools"])
            ops, other = bar["throughput_ops"], dram["throughput_ops"]
            change = 100.0 * (other / ops - 1.0)
            tails = bar["p99_us"], dram["p99_us"]
            rows.append((bar["phase"], label(bar["pools"]), bar["limits"], ops, other, round(change, 1), *tails))
    header = ("phase", "pools", "limits", "ops/s", "ops/s on DRAM", "change %", "p99 us", "p99 us on DRAM")
    note = "The same requests on both devices; medians over windows. Without a change the device does not decide."
    return Table("dram-control", "DRAM instead of Optane", header, rows, note)


def _bars_table(data: dict) -> Table:
    rows = [
        (bar["profile"], bar["phase"], label(bar["pools"]), name, *times, bar["limits"])
        for bar in data["bars"]
        for name, times in bar["time"].items()
    ]
    header = ("device", "phase", "pools", "class", *(f"{name} us" for name in data["stations"]), "limits")
    return Table("time-by-station", "Mean time of a request at each station", header, rows, shown=False)
