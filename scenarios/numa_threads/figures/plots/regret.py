"""Regret of the policies over time: nothing like it is published."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import GREEN, PAGE_IN, PINK
from pmtwin.scenarios.numa_threads.figures.claims import CALLED
from pmtwin.scenarios.numa_threads.figures.experiments.regret import BLOCK
from pmtwin.scenarios.numa_threads.figures.plots.parts import COLOURS
from pmtwin.scenarios.numa_threads.workloads import FAMILY

DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
OTHERS = (GREEN, PINK)


def render(results: dict) -> Rendered:
    """Windows of work lost so far, a panel for each workload."""
    import matplotlib.pyplot as plt

    rewards, constant = results["regret"]["rewards"], results["regret"]["constant"]
    figure, panels = plt.subplots(1, len(rewards), figsize=(PAGE_IN, 3.0))
    rows: list[tuple[Cell, ...]] = []
    data: list[tuple[Cell, ...]] = []
    for axes, (workload, policies) in zip(panels, rewards.items(), strict=True):
        colours = _colours(policies)
        for (spec, runs), dash in zip(policies.items(), DASHES, strict=False):
            lost = np.cumsum(1.0 - np.array(runs), axis=1)
            windows, mean = np.arange(1, lost.shape[1] + 1), lost.mean(axis=0)
            axes.fill_between(windows, lost.min(axis=0), lost.max(axis=0), color=colours[spec], alpha=0.15, linewidth=0)
            axes.plot(windows, mean, linestyle=dash, color=colours[spec], label=CALLED.get(spec, spec))
            later = float(np.array(runs)[:, lost.shape[1] // 2 :].mean())
            rows.append((workload, spec, round(float(mean[-1]), 2), round(100.0 * later, 1)))
            data += [(workload, spec, at, value) for at, value in enumerate(mean.tolist(), 1)]
        axes.set_title(f"{workload}, new every {BLOCK} s" if workload == FAMILY else workload)
        axes.set(xlabel="window (s)", xlim=(0, lost.shape[1]))
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    panels[0].set_ylabel("lost so far (windows of the best)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    settings = "; ".join(f"{name}: {','.join(map(str, each))}" for name, each in constant.items())
    caption = (
        "Operations that the best placement, known by formulas, would have done more so far, in windows of its work; "
        f"bands: least and most of the seeds. Best constant (threads near, cores near, cores far): {settings}. Nothing "
        "of it is published."
    )
    alt = "; ".join(f"{workload}, {spec}: {lost} windows lost" for workload, spec, lost, _ in rows)
    header = ("workload", "policy", "lost (windows)", "of the best in the later half (%)")
    tables = [
        Table("numa-regret", "Regret", header, rows),
        Table("numa-regret-windows", "Regret by window", ("workload", "policy", "window", "lost"), data, shown=False),
    ]
    return Rendered([Drawing("numa-regret", figure, caption, alt)], tables)


def _colours(specs: Iterable[str]) -> dict[str, str]:
    others = iter(OTHERS)
    return {spec: COLOURS.get(spec) or next(others) for spec in specs}
