"""Figure 7: loss of both agents by requests."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, ORANGE, PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.claims import CLOSE, PREDICTED
from pmtwin.scenarios.hybrid_storage.figures.experiments.learning import REQUESTS, SPECS, WORKLOAD, settled
from pmtwin.scenarios.hybrid_storage.published import CLAIMS

THOUSAND = 1000.0
AGENTS = ("placement", "migration")


def render(results: dict) -> Rendered:
    """A panel for each agent."""
    import matplotlib.pyplot as plt

    rows = results["learning"]["losses"]
    figure, panels = plt.subplots(1, len(AGENTS), figsize=(PAGE_IN, 2.8))
    cells: list[tuple[Cell, ...]] = []
    statements = []
    for axes, agent in zip(panels, AGENTS, strict=True):
        (published,) = (claim for claim in CLAIMS if claim.name == f"{agent}-agent")
        axes.axvline(published.perf / THOUSAND, color="0.5", linewidth=0.8, label="published: settled")
        for name, colour in zip(SPECS, (BLUE, ORANGE), strict=True):
            at: list[int | None] = []
            for seed in sorted({row["seed"] for row in rows}):
                curve = [row for row in rows if (row["spec"], row["agent"], row["seed"]) == (name, agent, seed)]
                if not curve:
                    continue
                requests, loss = (np.array([row[key] for row in curve], float) for key in ("requests", "loss"))
                axes.plot(requests / THOUSAND, loss, ".-", color=colour, linewidth=0.8, label=None if at else name)
                at.append(settled(requests, loss))
            ends = [requests for requests in at if requests is not None]
            mean = float(np.mean(ends)) if ends else None
            cells.append((agent, name, mean, len(ends), len(at)))
            holds = mean is not None and len(ends) == len(at) and abs(mean / published.perf - 1.0) <= CLOSE
            text = f"{number(mean)}, {len(ends)} of {len(at)} runs" if mean is not None else "in no run"
            text = f"{text} ({name})" if at else f"no training ({name})"
            statements.append(
                Statement(
                    published.place, f"{agent}: {published.claim}: {number(published.perf)}", text, holds, used=False
                )
            )
        axes.set(title=f"{agent} agent", xlabel="requests (thousands)", xlim=(0, REQUESTS / THOUSAND))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    panels[0].set_ylabel("loss (cross entropy, nats)")
    caption = (
        f"Figure 7: mean loss of a training, {WORKLOAD} on perf, {len({row['seed'] for row in rows})} seed(s). "
        f"Settled: from there on, before its last quarter, within a tenth of its range around that one's mean. "
        f"{PREDICTED}"
    )
    alt = "; ".join(f"{agent}, {name}: settled after {mean} requests" for agent, name, mean, *_ in cells)
    header = ("agent", "setting", "settled (requests)", "runs that settle", "runs that train")
    return Rendered([Drawing("hybrid-7", figure, caption, alt)], [Table("hybrid-7", "Loss", header, cells)], statements)
