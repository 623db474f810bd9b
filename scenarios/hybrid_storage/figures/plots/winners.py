"""Map of the policy that wins."""

from __future__ import annotations

from collections import Counter

import numpy as np

from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.claims import PREDICTED
from pmtwin.scenarios.hybrid_storage.figures.experiments.winners import DRIFTS, FASTS, GAPS_US, SKEWS
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import COLOURS, ink
from pmtwin.scenarios.hybrid_storage.figures.policies import CALLED, HARMONIA, PAPER
from pmtwin.scenarios.hybrid_storage.winning import READ_PERCENT, SIZE_KB, winner


def render(results: dict) -> Rendered:
    """A panel for each capacity and think time: the winner by skew and drift, and what Harmonia takes over it."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    cells = results["map"]["cells"]
    by_place = {(cell["skew"], cell["drift"], cell["fast"], cell["gap_us"]): cell["slowdowns"] for cell in cells}
    figure, panels = plt.subplots(len(GAPS_US), len(FASTS), figsize=(PAGE_IN, 6.4), sharex=True, sharey=True)
    counts: Counter[str] = Counter()
    rows: list[tuple[Cell, ...]] = []
    for (down, gap), (right, fast) in (
        (a, b) for a in enumerate(GAPS_US) for b in enumerate(FASTS)
    ):  # fmt: skip
        axes, colours = panels[down, right], np.zeros((len(DRIFTS), len(SKEWS), 3))
        for y, drift in enumerate(DRIFTS):
            for x, skew in enumerate(SKEWS):
                shown = {spec: np.array(values) for spec, values in by_place[skew, drift, fast, gap].items()}
                best = winner(shown)
                counts[best] += 1
                over = float(shown[HARMONIA].mean() / min(values.mean() for values in shown.values()))
                colours[y, x] = to_rgb(COLOURS[best])
                axes.text(x, y, f"{over:.2f}", ha="center", va="center", fontsize=6, color=ink(colours[y, x]))
                means = [round(float(values.mean()), 4) for values in shown.values()]
                rows.append((skew, drift, fast, gap, best, round(over, 3), *means))
        axes.imshow(colours, aspect="auto")
        axes.set_xticks(range(len(SKEWS)), [f"{skew:g}" for skew in SKEWS])
        axes.set_yticks(range(len(DRIFTS)), ["none", *(f"{drift}" for drift in DRIFTS[1:])])
        axes.grid(visible=False)
        axes.set_title(f"fast {fast:g} %, think {gap:g} us", fontsize=8)
        if right == 0:
            axes.set_ylabel("drift (requests)")
        if down == len(GAPS_US) - 1:
            axes.set_xlabel("skew")
    handles = [Patch(color=COLOURS[spec], label=CALLED[spec]) for spec in CALLED if counts[spec]]
    title = "colour: the policy with the least latency; number: latency of Harmonia over the least"
    figure.legend(handles=handles, loc="outside lower center", ncols=6, title=title, title_fontsize=7.5)
    seeds = len(next(iter(cells[0]["slowdowns"].values())))
    of_paper = sum(counts[spec] for spec in PAPER)
    caption = (
        f"The policy with the least latency on perf (of those within 1 %, the first of the legend's controls), and "
        f"Harmonia's latency over the least. {READ_PERCENT:g} % reads of {SIZE_KB:g} KiB on average, {seeds} seed(s). "
        f"Policies of the paper win {of_paper} of {len(cells)} points. {PREDICTED}"
    )
    alt = "; ".join(f"{CALLED[spec]} wins {count} of {len(cells)} points" for spec, count in counts.most_common())
    header = ("skew", "drift", "fast (%)", "think (us)", "winner", "Harmonia over the least", *cells[0]["slowdowns"])
    table = Table("hybrid-map", "Winners", header, rows, shown=False)
    wins = Table("hybrid-map-wins", "Points won", ("policy", "points"), counts.most_common())
    return Rendered([Drawing("hybrid-map", figure, caption, alt)], [wins, table])
