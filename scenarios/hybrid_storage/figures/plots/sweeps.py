"""Figure 11 and the sensitivity to what the paper leaves open."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, ORANGE, PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.averages import LATENCY, TAIL_WORKLOADS, by_seed
from pmtwin.scenarios.hybrid_storage.figures.claims import PREDICTED
from pmtwin.scenarios.hybrid_storage.figures.experiments.sweeps import ANSWERS, BASE, OPEN, QUEUE, QUEUES, N
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import basis
from pmtwin.scenarios.hybrid_storage.published import CLAIMS
from pmtwin.sim.numerics.statistics import Interval, mean_interval

SWEPT = ((QUEUE, QUEUES, "migration-queue", "pages in the queue"), (N, ANSWERS, "reward", "n of the reward"))
WORKLOADS = ", ".join(TAIL_WORKLOADS)


def _means(rows: list[dict], measure: str = LATENCY) -> dict[str, Interval]:
    """Label -> mean over the workloads, over seeds; each label has one policy."""
    return {
        label: mean_interval([run.mean(run.policies[0], measure) for run in runs])
        for label, runs in by_seed(rows).items()
    }


def render_11(results: dict) -> Rendered:
    """Latency by the size of the queue and by n."""
    import matplotlib.pyplot as plt

    rows = results["settings"]["runs"]
    means = _means(rows)
    figure, panels = plt.subplots(1, 2, figsize=(PAGE_IN, 2.4), sharey=True)
    statements, cells = [], []
    for axes, (name, values, claim, title) in zip(panels, SWEPT, strict=True):
        intervals = [means[f"{name} {value}"] for value in values]
        latencies = [interval["mean"] for interval in intervals]
        axes.plot(values, latencies, "o-", color=BLUE, markersize=3)
        cells += [(name, value, with_interval(interval, 4)) for value, interval in zip(values, intervals, strict=True)]
        (published,) = (entry for entry in CLAIMS if entry.name == claim)
        axes.axvline(published.perf, color=ORANGE, linewidth=1.0, label="published best")
        axes.set_xlabel(title)
        best = values[int(np.argmin(latencies))]
        span = 100.0 * (max(latencies) / min(latencies) - 1.0)
        text = f"{number(best)}; from least to most {number(span)} %"
        holds = best == published.perf
        statements.append(
            Statement(published.place, f"{claim}: {published.claim}: {number(published.perf)}", text, holds, used=False)
        )
    panels[0].set_ylabel("mean latency over Fast-Only")
    panels[0].legend()
    caption = f"Figure 11 on cost, mean of {WORKLOADS}. {basis(rows)} {PREDICTED}"
    alt = "; ".join(f"{each.published}; here {each.computed}" for each in statements)
    table = Table("hybrid-11", "Queue and n", ("parameter", "value", "mean latency over Fast-Only"), cells)
    return Rendered([Drawing("hybrid-11", figure, caption, alt)], [table], statements)


def render_sensitivity(results: dict) -> Rendered:
    """Latency with one thing changed at a time, over that as described."""
    import matplotlib.pyplot as plt

    rows = results["sensitivity"]["runs"]
    means, moves = _means(rows), _means(rows, "moves")
    configs = list(dict.fromkeys(label.partition("/")[0] for label in means))
    figure, panels = plt.subplots(1, len(configs), figsize=(PAGE_IN, 5.2), sharey=True)
    places = np.arange(len(OPEN))[::-1]
    cells: list[tuple[Cell, ...]] = []
    for axes, config in zip(np.atleast_1d(panels), configs, strict=True):
        base = means[f"{config}/{BASE}"]["mean"]
        ratios = [means[f"{config}/{change.name}"]["mean"] / base for change in OPEN]
        axes.axvline(1.0, color="0.5", linewidth=0.8)
        axes.plot(ratios, places, "o", color=BLUE, markersize=4)
        axes.set_yticks(places, [change.name for change in OPEN])
        axes.set(title=config, xlabel=f"latency over that {BASE}", xscale="log")
        axes.grid(axis="y", visible=False)
        for change, ratio in zip(OPEN, ratios, strict=True):
            label = f"{config}/{change.name}"
            moved = round(moves[label]["mean"], 1)
            cells.append((config, change.name, change.spec, with_interval(means[label], 4), round(ratio, 3), moved))
    caption = (
        f"Harmonia with one thing changed at a time, mean of {WORKLOADS}. Changes of skew and capacity change the "
        f"workload or the storage, not the agents. {basis(rows)} {PREDICTED}"
    )
    alt = "; ".join(f"{config}, {name}: {ratio}" for config, name, _, _, ratio, _ in cells)
    header = ("storage", "change", "policy", "mean latency over Fast-Only", f"over that {BASE}", "pages moved")
    return Rendered(
        [Drawing("hybrid-sensitivity", figure, caption, alt)],
        [Table("hybrid-sensitivity", "Open parameters", header, cells)],
    )
