"""Figures D.1 to D.4, the learning curve, and Tables D.1 to D.3 as run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import CLASS_COLOURS, PAGE_IN, policy_colour
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.sim.load.workload import CLASSES

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SETTLED_STEPS = 50
"""The last steps of an episode, over which the learned pools are summarised."""


def render_patterns(results: dict) -> Rendered:
    """Figures D.1 to D.4: pools per step of the last three episodes of each phase."""
    data = results["training"]
    phases, settings = data["phases"], np.array(data["settings"])
    rows = (len(phases) + 1) // 2
    figure, panels = plt.subplots(rows, 2, figsize=(PAGE_IN, 1.7 * rows + 0.4), sharex=True, sharey=True, squeeze=False)
    for axes, phase, episodes in zip(panels.flat, phases, settings, strict=False):
        _pattern(axes, episodes)
        axes.set_title(f"phase {phase}")
    top = max(16, int(settings.max())) + 1
    panels[0, 0].set(ylim=(0, top), xlim=(0, settings.shape[2]))
    panels[0, 0].set_yticks([tick for tick in (1, 5, 10, 15, 20, 25, 32) if tick < top])
    for axes in panels[:, 0]:
        axes.set_ylabel("threads")
    for axes in panels[-1]:
        axes.set_xlabel("step of the episode")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    table, statements = _converged(phases, settings)
    drawing = Drawing(
        "figures-d1-d4",
        figure,
        "Pools per step of the last three training episodes of each phase: their median, and the band from the "
        "least to the most, exploration included. The dashed line is the published 10, the same sentence for every "
        "phase; nothing here is fitted to it. "
        "Figures D.1 to D.4 themselves do not survive.",
        "Four panels of interactive and batch threads over the steps of an episode.",
    )
    return Rendered([drawing, _learning_curve(data)], [table, *_data(data, settings)], statements)


def _pattern(axes: Axes, episodes: np.ndarray) -> None:
    """Median and range over episodes, shape (episodes, steps, 2)."""
    steps = np.arange(episodes.shape[1])
    axes.axhline(published.CONVERGED_POOLS[0], color="#777777", linewidth=0.8, linestyle="--", zorder=1)
    for column, (name, colour) in enumerate(zip(CLASSES, CLASS_COLOURS, strict=True)):
        least, most = episodes[:, :, column].min(axis=0), episodes[:, :, column].max(axis=0)
        axes.fill_between(steps, least, most, step="mid", color=colour, alpha=0.25, linewidth=0)
        median = np.median(episodes[:, :, column], axis=0)
        axes.plot(steps, median, color=colour, linewidth=0.9, drawstyle="steps-mid", label=f"{name} threads")


def _converged(phases: list[int], settings: np.ndarray) -> tuple[Table, list[Statement]]:
    rows, medians = [], []
    for phase, episodes in zip(phases, settings, strict=True):
        settled = episodes[:, -SETTLED_STEPS:].reshape(-1, 2)
        quartiles = np.percentile(settled, (25, 50, 75), axis=0)
        medians.append(quartiles[1])
        row = [text for column in range(2) for text in (float(quartiles[1, column]), _range(quartiles[:, column]))]
        rows.append((phase, *row, "10,10"))
    header = ("phase", "interactive (median)", "Q1 to Q3", "batch (median)", "Q1 to Q3", "published")
    note = f"Over the last {SETTLED_STEPS} steps of the last three episodes."
    table = Table("learned-pools", "Pools that the agent settles on", header, rows, note)
    text = "; ".join(f"phase {phase}: {i:g},{b:g}" for phase, (i, b) in zip(phases, medians, strict=True))
    off = np.abs(np.array(medians) - published.CONVERGED_POOLS).max()
    statement = Statement(
        "section 4.3, figures D.1 to D.4",
        "the agent converges to 10 interactive and 10 batch threads (one sentence, printed for each phase)",
        f"median pools: {text}",
        difference=f"at most {number(float(off))} threads away",
        used=False,
    )
    return table, [statement]


def _range(quartiles: np.ndarray) -> str:
    return f"{quartiles[0]:g} to {quartiles[2]:g}"


def _learning_curve(data: dict) -> Drawing:
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE_IN, 2.3))
    episodes, rewards = np.array(data["episodes"]), np.array(data["rewards"])
    steps = data["plan"]["episode_steps"]
    for phase, colour in zip(data["phases"], ("#0072B2", "#E69F00", "#009E73", "#CC79A7"), strict=False):
        chosen = episodes[:, 0] == phase
        left.plot(episodes[chosen, 1] + 1, rewards[chosen] / steps, color=colour, label=f"phase {phase}", linewidth=1.1)
    left.set_yscale("symlog", linthresh=10, linscale=0.6)
    left.set_yticks([-10_000, -1000, -100, -10, 0, 10], ["−10 k", "−1 k", "−100", "−10", "0", "10"])
    left.minorticks_off()
    left.set(xlabel="episode of the phase", ylabel="mean reward per step", title="training, with exploration")
    left.legend(loc="lower right", ncols=2, columnspacing=1.0)
    points, values = np.array(data["trial_points"]), np.array(data["trials"])
    if points.size:
        right.plot(points, values.mean(axis=1), marker="o", color=policy_colour("q-learning"))
        if data["selected"] is not None:
            right.axvline(data["selected"], color="#888888", linewidth=0.8)
    right.set(xlabel="episodes trained (all phases)", title="trials of the greedy policy")
    right.set_ylabel("share of windows that meet the goals")
    return Drawing(
        "learning-curve",
        figure,
        "Left: mean reward of each training episode. Right: the greedy policy tried without exploration or learning "
        "through changing phases, on a seed that is used for nothing else; the vertical line marks the weights kept.",
        "Two panels: training reward over episodes, and trial score over episodes.",
    )


def _data(data: dict, settings: np.ndarray) -> list[Table]:
    rows = [
        (phase, episode - len(episodes) + 1, step, int(pools[0]), int(pools[1]))
        for phase, episodes in zip(data["phases"], settings, strict=True)
        for episode, steps in enumerate(episodes)
        for step, pools in enumerate(steps)
    ]
    header = ("phase", "episode_from_last", "step", "interactive_threads", "batch_threads")
    curve = [(*pair, reward) for pair, reward in zip(data["episodes"], data["rewards"], strict=True)]
    return [
        Table("figures-d1-d4", "Pools per step", header, rows, shown=False),
        Table("learning-curve", "Reward by episode", ("phase", "episode", "reward_sum"), curve, shown=False),
    ]


def render_models(results: dict) -> Rendered:
    """Tables D.1 to D.3 as run, beside the published ones."""
    data = results["training"]
    return Rendered(tables=[_table_d1(data["plan"]), _table_d2(data["selection"]), _table_d3(data["plan"])])


def _table_d1(plan: dict) -> Table:
    rows = [
        (name, _joined(published.TABLE_D1[name]), _joined(values))
        for name, values in plan["grid"].items()
        if name in published.TABLE_D1
    ]
    note = f"Share of the grid's configurations that was tried: {percent(plan['grid_share'])}, {plan['folds']} folds."
    return Table("table-d1", "Table D.1: model selection", ("parameter", "published", "as run"), rows, note)


def _joined(values: Iterable[object]) -> str:
    return ", ".join(f"{value:g}" if isinstance(value, int | float) else str(value) for value in values)


def _table_d2(selection: list[dict]) -> Table:
    rows = []
    for row, theirs in zip(selection, published.TABLE_D2, strict=False):
        ours = tuple(row[name] for name in ("degree", "learning_rate", "loss", "alpha", "penalty", "max_iter"))
        text = f"invscaling, squared_loss, {theirs['alpha']:g}, {theirs['penalty']}, {theirs['max_iter']}"
        rows.append((row["action"] + 1, text, *ours, row["cv_r2"], row["test_r2"]))
    header = (
        *("action", "published", "degree", "learning rate", "loss", "alpha", "penalty", "max_iter"),
        *("CV R2", "test R2"),
    )
    note = "The published table does not print the degree, nor a score."
    return Table("table-d2", "Table D.2: the chosen linear models", header, rows, note)


def _table_d3(plan: dict) -> Table:
    q, episodes = plan["q"], plan["episodes"]
    ours = (
        _joined(episodes.get(phase, 0) for phase in ("1", "2")),
        _joined(episodes.get(phase, 0) for phase in ("3", "4")),
        plan["episode_steps"],
        q["gamma"],
        q["learning_rate"],
        q["epsilon"],
        q["epsilon_decay"],
    )
    rows = [(name, value, mine) for (name, value), mine in zip(published.TABLE_D3.items(), ours, strict=True)]
    rows.append(("random-agent episodes per phase", published.DATASET_EPISODES_PER_PHASE, plan["dataset_episodes"]))
    return Table("table-d3", "Table D.3: parameters of Q-learning", ("parameter", "published", "as run"), rows)
