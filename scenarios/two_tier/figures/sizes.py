"""Figure 3: the share of requests that miss, by the size of the cache, under both traffic models."""

from __future__ import annotations

import numpy as np

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Table
from pmtwin.figures.drawing.style import PAGE_IN, PALETTE
from pmtwin.pipeline.step import Work
from pmtwin.policies.replacement import is_clairvoyant, make_cache, next_uses, replay
from pmtwin.scenarios.two_tier import traffic
from pmtwin.sim.numerics.statistics import share_interval

LINES = (8, 16, 32, 64, 128, 256, 512, 1024)
REQUESTS, MOST_SEEDS = 20_000, 10
POLICIES = ("lru", "lfu", "random", "weight-sharing", "sieve", "hedge", "min")
MARKERS = "oDv^s*P"
MODELS: dict[str, traffic.Draw] = {"IRM": traffic.irm, "Poisson": traffic.poisson}


def compute(work: Work) -> dict:
    """Model -> policy -> one interval of the miss ratio for each size."""
    seeds, values = min(work.setting.campaign.seeds, MOST_SEEDS), {}
    for place, name in enumerate(work.progress(list(MODELS), desc="sizes")):
        sequences = [np.random.SeedSequence(work.setting.seed, spawn_key=(3, place, seed)) for seed in range(seeds)]
        traces = [MODELS[name](REQUESTS, np.random.default_rng(sequence)) for sequence in sequences]
        values[name] = {
            spec: [share_interval([_miss_ratio(spec, lines, pages) for pages in traces]) for lines in LINES]
            for spec in POLICIES
        }
    return values


def _miss_ratio(spec: str, lines: int, pages: np.ndarray) -> float:
    return replay(make_cache(spec, lines), pages, next_uses(pages) if is_clairvoyant(spec) else None) / pages.size


def render(results: dict) -> Rendered:
    """A panel for each model, and the data."""
    values = results["sizes"]
    rows = [
        (name, spec, lines, *(interval[end] for end in ("mean", "low", "high")))
        for name, policies in values.items()
        for spec, intervals in policies.items()
        for lines, interval in zip(LINES, intervals, strict=True)
    ]
    header = ("traffic", "policy", "lines", "miss ratio", "low", "high")
    table = Table("misses-by-size", "Misses by size of the cache", header, rows, shown=False)
    return Rendered([_drawing(values)], [table])


def _drawing(values: dict) -> Drawing:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(values), figsize=(PAGE_IN, 3.0), layout="constrained", sharey=True)
    for axis, (name, policies) in zip(axes, values.items(), strict=True):
        for place, (spec, intervals) in enumerate(policies.items()):
            means = [each["mean"] for each in intervals]
            axis.plot(LINES, means, color=PALETTE[place], marker=MARKERS[place], markersize=4, linewidth=1, label=spec,
                      linestyle="--" if spec == "hedge" else "-")  # fmt: skip
        axis.set_xscale("log", base=2)
        axis.set_xticks(LINES, [number(lines) for lines in LINES])
        axis.set_ylim(0.0, 1.0)
        axis.yaxis.set_major_formatter(lambda share, _: percent(share))
        axis.set_title(f"{name} traffic", fontsize="small", loc="left")
        axis.set_xlabel("lines of the cache")
    axes[0].set_ylabel("requests that miss")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels))
    caption = (
        f"Requests that miss by the size of the cache, {REQUESTS:,} requests from an empty cache. The paper draws a "
        "random read workload of one process and gives no numbers; its traffic models are used here. "
        "The hedge mostly follows SIEVE, and their lines are the same."
    )
    ends = "; ".join(
        f"{name}, {spec}: {percent(policies[spec][0]['mean'])} to {percent(policies[spec][-1]['mean'])}"
        for name, policies in values.items()
        for spec in ("lru", "min")
    )
    return Drawing("misses-by-size", figure, caption, f"Misses from {LINES[0]} to {LINES[-1]} lines. {ends}.")
