"""The first screen of the report: how often each policy keeps the goals, where the device is known, where time goes."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from pmtwin.calibrate.report.trust import POOR_PERCENT, colour
from pmtwin.figures.drawing.rendered import Drawing, Rendered
from pmtwin.figures.drawing.style import COLUMN_IN
from pmtwin.scenarios.nvm_middleware.figures.plots.explain import COLOURS, bar_of, label, settings
from pmtwin.scenarios.nvm_middleware.figures.plots.yardsticks import attainment
from pmtwin.sim.load.workload import CLASSES

HEIGHT_IN = 2.5

CONTEXT = 1
"""The phase whose time is shown. The other phases are much alike; the section on the time shows all."""


def render(results: dict) -> Rendered:
    """Figure from the values of `yardsticks`, `calibration` and `explain`."""
    kept = attainment(results["yardsticks"], "phases")
    return Rendered([kept, _trust(results["calibration"]), _time(results["explain"])])


def _trust(calibration: dict) -> Drawing:
    errors = calibration["shipped"]["errors_percent"]
    figure, panels = plt.subplots(2, 2, figsize=(COLUMN_IN, HEIGHT_IN), sharex=True, sharey=True)
    poor = judged = 0
    for axes, (operation, entry) in zip(panels.flat, errors.items(), strict=False):
        regions = entry.get("by_region", ())
        sizes, threads = (list(dict.fromkeys(region[key] for region in regions)) for key in ("access_size", "threads"))
        for region in regions:
            x, y = threads.index(region["threads"]), sizes.index(region["access_size"])
            error = region["predict"][2]
            judged, poor = judged + 1, poor + (error > POOR_PERCENT)
            axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour(error), edgecolor="#bfbfbf", lw=0.6))
            axes.text(x, y, f"{error:.1f}", ha="center", va="center", fontsize=6.5)
        axes.set(xlim=(-0.5, len(threads) - 0.5), ylim=(len(sizes) - 0.5, -0.5), title=operation)
        axes.set_xticks(range(len(threads)), [_short(name) for name in threads], fontsize=6.5)
        axes.set_yticks(range(len(sizes)), [_short(name) for name in sizes], fontsize=6.5)
        axes.tick_params(length=0)
        axes.grid(False)
    figure.supxlabel("threads", fontsize=7.5)
    return Drawing(
        "overview-trust",
        figure,
        "The error in % that one unseen configuration in ten exceeds, by access size and threads; darker: above "
        f"{POOR_PERCENT:g} %.",
        f"The device model errs by more than {POOR_PERCENT:g} % in {poor} of {judged} regions.",
    )


def _short(name: str) -> str:
    for long, short in (
        (" and more", "+"),
        (" to ", "\u2013"),
        ("below ", "< "),
        (" thread", ""),
        (" from ", "\u2265 "),
    ):
        name = name.replace(long, short)
    return name


def _time(data: dict) -> Drawing:
    profile = data["bars"][0]["profile"]
    figure, axes = plt.subplots(figsize=(COLUMN_IN, HEIGHT_IN))
    rows = [(pools, bar_of(data, profile, CONTEXT, pools)) for pools in settings(data)]
    largest = ("", 0.0)
    for place, (pools, bar) in enumerate(rows):
        times = dict(zip(data["stations"], bar["time"][CLASSES[0]], strict=True))
        whole, left = sum(times.values()), 0.0
        for station, time in times.items():
            share = 100.0 * max(time, 0.0) / whole
            axes.barh(place, share, left=left, height=0.62, color=COLOURS[station], label=f"{station}, {label(pools)}")
            largest = max(largest, (f"{station} with pools {label(pools)}", share), key=lambda pair: pair[1])
            left += share
    axes.set_yticks(range(len(rows)), [label(pools) for pools, _ in rows])
    axes.set(xlim=(0, 100), xlabel="time of an interactive request (%)", ylabel="pools")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    shown = [name for name in data["stations"] if any(_share(data, bar, name) > 0.01 for _, bar in rows)]
    handles = [plt.Rectangle((0, 0), 1, 1, facecolor=COLOURS[name]) for name in shown]
    figure.legend(handles, shown, loc="outside lower center", ncols=3)
    return Drawing(
        "overview-time",
        figure,
        f"Phase {CONTEXT}, {profile}: the mean time of an interactive request by station.",
        f"The largest share of a request's time is {largest[0]}: {largest[1]:.0f} %.",
    )


def _share(data: dict, bar: dict, station: str) -> float:
    times = bar["time"][CLASSES[0]]
    return times[data["stations"].index(station)] / sum(times)
