"""Figure 7: confidence bounds of two actions, by workload and form of the reward."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, ORANGE, PAGE_IN
from pmtwin.scenarios.numa_threads.figures.experiments.bounds import ACTIONS, FORMS
from pmtwin.scenarios.numa_threads.options import NORMALISED
from pmtwin.scenarios.numa_threads.published import STABLE_EPOCHS
from pmtwin.scenarios.numa_threads.workloads import PATTERNS

STABLE = 0.05
"""Share of its first value by which a stable bound differs from its last one at most."""

COLOURS, MARKERS = (BLUE, ORANGE), ("-", "--")
CALLED = ("action 0: the thread stays", "action 1: it goes to its data")


def render(results: dict) -> Rendered:
    """A row of panels for each form of the reward."""
    import matplotlib.pyplot as plt

    runs = results["bounds"]["runs"]
    figure, panels = plt.subplots(len(FORMS), len(PATTERNS), figsize=(PAGE_IN, 3.6), sharex=True, sharey=True)
    for row, form in zip(panels, FORMS, strict=True):
        for axes, workload in zip(row, PATTERNS, strict=True):
            bounds = _of(runs, form, workload)
            epochs = np.arange(1, bounds.shape[2] + 1)
            for action in ACTIONS:
                axes.plot(
                    epochs, bounds[:, action].mean(axis=0), MARKERS[action], color=COLOURS[action],
                    label=CALLED[action],
                )  # fmt: skip
            axes.axvline(STABLE_EPOCHS, color="0.5", linewidth=0.8, linestyle=":", label="published: stable by then")
            axes.set_title(workload if form == FORMS[0] else "")
        row[0].set_ylabel(f"width of the bound\n(reward {form})")
    panels[0][0].set_ylim(0.0, 1.1 * max(np.max(run["bounds"]) for run in runs))  # of all panels
    for axes in panels[-1]:
        axes.set_xlabel("epoch (s)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    caption = (
        "Our Figure 7: width of the confidence bounds, alpha 0.3, in the mean context of all decisions of a run. "
        "A bound moves only with decisions: it stands still when no core is unbalanced, and for an action that is "
        "never taken. No number of the paper sets a parameter."
    )
    stable = {(form, name): max(map(stable_from, _of(runs, form, name))) for form in FORMS for name in PATTERNS}
    alt = "; ".join(f"reward {form}, {name}: stable from epoch {epoch} on" for (form, name), epoch in stable.items())
    return Rendered(
        [Drawing("numa-ucb", figure, caption, alt)], [_table(runs, stable), _data(runs)], [_statement(stable)]
    )


def _of(runs: list[dict], form: str, workload: str) -> np.ndarray:
    """Shape (seeds, actions, windows)."""
    return np.array([run["bounds"] for run in runs if (run["form"], run["workload"]) == (form, workload)])


def stable_from(bounds: np.ndarray) -> int:
    """The first epoch from which the bounds of all actions stay near their last value; shape (actions, windows)."""
    moving = np.any(np.abs(bounds - bounds[:, -1:]) > STABLE * bounds[:, :1], axis=0)
    return int(np.flatnonzero(moving).max(initial=-1)) + 2


def _table(runs: list[dict], stable: dict[tuple[str, str], int]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for form in FORMS:
        for workload in PATTERNS:
            bounds = _of(runs, form, workload)
            asked = [sum(run["decisions"]) for run in runs if (run["form"], run["workload"]) == (form, workload)]
            last = [round(float(each), 4) for each in bounds[:, :, -1].mean(axis=0)]
            rows.append((form, workload, round(float(np.mean(asked)), 1), stable[form, workload], *last))
    header = ("reward", "workload", "decisions", "stable from epoch", "bound of 0", "bound of 1")
    return Table(
        "numa-ucb",
        "Confidence bounds of two actions",
        header,
        rows,
        f"Stable: within {100 * STABLE:.0f} % of the first bound.",
    )


def _data(runs: list[dict]) -> Table:
    rows = [
        (run["form"], run["workload"], run["seed"], epoch, *row)
        for run in runs
        for epoch, row in enumerate(zip(run["decisions"], *run["bounds"], *run["means"], strict=True), 1)
    ]
    header = ("reward", "workload", "seed", "epoch", "decisions", "bound_0", "bound_1", "expected_0", "expected_1")
    return Table("numa-ucb-epochs", "Bounds by epoch", header, rows, shown=False)


def _statement(stable: dict[tuple[str, str], int]) -> Statement:
    latest = {form: max(stable[form, name] for name in PATTERNS) for form in FORMS}
    return Statement(
        "9.3, figure 7",
        f"the bounds of two actions are stable within {STABLE_EPOCHS} epochs",
        "; ".join(f"reward {form}: from epoch {epoch} on at the latest" for form, epoch in latest.items()),
        latest[NORMALISED] <= STABLE_EPOCHS,
        used=False,
    )
