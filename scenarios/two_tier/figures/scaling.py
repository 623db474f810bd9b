"""Tables VII to IX and Figures 10 to 12: the whole system simulated, by processes, beside the published times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, COLUMN_IN, GREEN, GREY, ORANGE, PAGE_IN
from pmtwin.figures.experiments.parallel import run_tasks
from pmtwin.pipeline.step import Work
from pmtwin.scenarios.two_tier.storage.costs import FITTED, read_costs
from pmtwin.scenarios.two_tier.storage.fitting import median_errors, published_rows
from pmtwin.scenarios.two_tier.storage.published import SCALING
from pmtwin.scenarios.two_tier.storage.running import simulate_system
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TITLES = {
    "table-vii": "Table VII: RMW, 512 B",
    "table-viii": "Table VIII: read, 4 KB",
    "table-ix": "Table IX: RMW, 64 KB",
}
PLACES = {"table-vii": "VII", "table-viii": "VIII", "table-ix": "IX"}
TARGET_PERCENT = 20.0


def compute(work: Work) -> dict:
    """Workload -> processes -> times in s, requests, and missed requests."""
    tasks = [
        (name, processes, work.setting.seed) for name, workload in WORKLOADS.items() for processes in workload.processes
    ]
    longest_first = sorted(tasks, key=lambda task: -WORKLOADS[task[0]].requests)
    with work.progress(total=len(tasks), desc="the whole system") as bar:
        results = run_tasks(_simulated, longest_first, work.setting.jobs, bar.update)
    values = dict(zip(longest_first, results, strict=True))
    return {
        name: {str(processes): values[name, processes, work.setting.seed] for processes in workload.processes}
        for name, workload in WORKLOADS.items()
    }


def _simulated(name: str, processes: int, seed: int) -> dict:
    times = simulate_system(WORKLOADS[name].system(processes, read_costs()[0]), seed)
    shown = {key: getattr(times, key) for key in ("response_s", "disk_s", "completion_s", "idle_s")}
    return shown | {"requests": times.counts["requests"], "reads": times.counts["reads"]}


def render_tables(results: dict) -> Rendered:
    """Tables VII to IX, with the error of each row."""
    rows, values, profile = published_rows(), results["scaling"], read_costs()[1]
    times = [(values[name][str(count)]["response_s"], values[name][str(count)]["disk_s"]) for name, count in rows]
    errors, left_out = median_errors(times, rows), profile["median_error_percent_left_out"]
    simulated = sum(values[name][str(count)]["requests"] for name, count in rows)
    inside, outside = (
        f"completion {each['completion']:.1f} %, response {each['response']:.1f} %, HDD time {each['disk']:.1f} %, "
        f"response and HDD time together {each['response_and_disk']:.1f} %"
        for each in (errors, left_out)
    )
    note = (
        f"{simulated / 1e6:,.0f} million requests simulated. {len(FITTED)} costs are fitted to these {len(rows)} rows "
        f"by the fluid limit. Median absolute error, simulated: {inside}. Of rows left out of the fit, by the fluid "
        f"limit: {outside}."
    )
    cells = [_cells(name, count, values[name][str(count)]) for name, count in rows]
    header = ["table", "processes"]
    for quantity in ("response", "HDD", "completion"):
        header += [f"{quantity} published (s)", f"{quantity} (s)", "error (%)"]
    parts = "completion", "response_and_disk"
    holds = max(each[part] for each in (errors, left_out) for part in parts) <= TARGET_PERCENT
    computed = (
        f"completion {errors['completion']:.1f} %, with each row left out {left_out['completion']:.1f} %; response and "
        f"HDD time together {errors['response_and_disk']:.1f} and {left_out['response_and_disk']:.1f} %"
    )
    statement = Statement("Tables VII to IX", "median error of the simulated times at most 20 %", computed, bool(holds))
    table = Table("scaling", "Tables VII to IX: times of the whole system", tuple(header), cells, note)
    return Rendered([_times_drawing(values)], [table], [statement])


def _cells(name: str, processes: int, shown: dict) -> tuple:
    response, disk = SCALING[name][processes]
    pairs = ((response, "response_s"), (disk, "disk_s"), (max(response, disk), "completion_s"))
    cells = [PLACES[name], processes]
    for published, key in pairs:
        cells += [round(published, 1), round(shown[key], 1), round(100.0 * (shown[key] / published - 1.0))]
    return tuple(cells)


def _times_drawing(values: dict) -> Drawing:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(PAGE_IN, 2.6), sharey=True)
    for axes, name in zip(panels, TITLES, strict=True):
        processes = list(SCALING[name])
        for part, (key, label, colour, marker) in enumerate(
            (("response_s", "response", BLUE, "o"), ("disk_s", "HDD time", ORANGE, "s"))
        ):
            axes.plot(processes, [values[name][str(count)][key] for count in processes], color=colour, label=label)
            published = [SCALING[name][count][part] for count in processes]
            axes.plot(
                processes, published, marker, color=colour, markerfacecolor="white", label=f"{label}, published",
                clip_on=False,
            )  # fmt: skip
        axes.set_title(TITLES[name])
        _scale_by_processes(axes, processes)
    panels[0].set_ylabel("seconds")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    caption = (
        "RMW: read-modify-write. Lines: simulated, six costs fitted to all rows. Points: published. An HDD time is the "
        "longest that an I/O thread was at work, with what idle ones write back."
    )
    return Drawing("scaling", figure, caption, "Response and HDD times by processes, beside the published points.")


def _scale_by_processes(axes: Axes, processes: Sequence[int]) -> None:
    from matplotlib.ticker import LogLocator

    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(processes, [str(count) for count in processes], rotation=0)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(lambda value, _: number(value))
    axes.minorticks_off()
    axes.set_xlabel("processes")


def render_throughput(results: dict) -> Rendered:
    """Figure 10: requests per second of small reads of pages that the own process caches."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN_IN, 2.6))
    rows: list[tuple[str, int, int]] = []
    names = {
        "figure-10-20gb": ("2 million reads over 20 GB", BLUE, "o-"),
        "figure-10-40gb": ("4 million reads over 40 GB", ORANGE, "s:"),
    }
    for name, (label, colour, marker) in names.items():
        shown = results["scaling"][name]
        rates = {int(count): each["requests"] / each["completion_s"] for count, each in shown.items()}
        # the curves lie on each other: as many requests a page
        face, size = ("white", 4) if rows else (colour, 7)
        axes.plot(
            list(rates), list(rates.values()), marker, color=colour, markerfacecolor=face, markersize=size, label=label
        )
        rows += [(label, count, round(rate)) for count, rate in rates.items()]
    _scale_by_processes(axes, list(rates))
    axes.set_ylabel("requests/s")
    axes.legend(loc="best")
    caption = (
        "Our Figure 10, for which the paper prints no number: reads of 128 B, block mapping, no communication, 64 "
        "service threads. Both workloads have as many requests a page, and their curves coincide."
    )
    drawing = Drawing("throughput", figure, caption, "Throughput of reads by processes.")
    table = Table("throughput", "Throughput", ("workload", "processes", "requests/s"), rows, shown=False)
    return Rendered([drawing], [table])


def render_strong_scaling(results: dict) -> Rendered:
    """Figures 11 and 12: completion times by processes."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.7), sharey=True)
    parts = (
        ("Figure 11: low reuse", (("table-vii", "read-modify-write, 512 B", BLUE, "o"),)),
        (
            "Figure 12: high reuse",
            (
                ("table-viii", "read, 4 KB", GREEN, "D"),
                ("figure-12-1kb", "read-modify-write, 1 KB", BLUE, "o"),
                ("table-ix", "read-modify-write, 64 KB", ORANGE, "s"),
            ),
        ),
    )
    rows = []
    for axes, (title, curves) in zip(panels, parts, strict=True):
        for name, label, colour, marker in curves:
            shown = {int(count): each["completion_s"] for count, each in results["scaling"][name].items()}
            axes.plot(list(shown), list(shown.values()), marker + "-", color=colour, label=label)
            published = {count: max(times) for count, times in SCALING.get(name, {}).items()}
            axes.plot(
                list(published), list(published.values()), marker, color=colour, markerfacecolor="white", zorder=3
            )
            rows += [(label, count, round(seconds, 1), published.get(count)) for count, seconds in shown.items()]
        ideal = [max(shown.values()) * min(shown) / count for count in shown]
        axes.plot([], [], "o", color=GREY, markerfacecolor="white", label="published")
        axes.plot(list(shown), ideal, color=GREY, linewidth=0.9, linestyle="--", label="in proportion to processes")
        axes.set_title(title)
        _scale_by_processes(axes, sorted({*shown, 512} if len(curves) > 1 else shown))
        axes.legend(loc="lower left")
    panels[0].set_ylabel("completion (s)")
    caption = (
        "Our Figures 11 and 12: simulated completion, the larger of response and HDD time; white "
        "points: published in Tables VII to IX."
    )
    drawing = Drawing("strong-scaling", figure, caption, "Completion times by processes.")
    table = Table(
        "strong-scaling", "Completion", ("workload", "processes", "completion (s)", "published (s)"), rows, shown=False
    )
    return Rendered([drawing], [table])
