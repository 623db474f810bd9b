"""Miss ratio against the size of the cache, a line for each policy."""

from __future__ import annotations

from collections.abc import Mapping

from pmtwin.figures.drawing.rendered import Drawing, Table
from pmtwin.figures.drawing.style import policy_colours
from pmtwin.scenarios.two_tier.replay import Replay, measure_of

HEADER = ("policy", "cache", "lines", "miss_ratio", "low", "high")
SIZE_IN = (5.6, 3.4)


def drawings(result: Mapping, scenario: Replay) -> dict[str, Drawing]:
    """The curve, of two sizes or more."""
    return {"Miss ratio by size": curve(rows_of(result, scenario))} if len(scenario.lines) > 1 else {}


def rows_of(result: Mapping, scenario: Replay) -> list[tuple]:
    """`HEADER` for each policy, best first, and size; low and high where there is an interval over runs."""
    rows = []
    for spec in (row["policy"] for row in result["leaderboard"]):
        policy = result["policies"][spec]
        for size, lines in zip(scenario.replayed.sizes, scenario.lines, strict=True):
            mean = policy["overall"][measure_of(size)]
            interval = (None, None) if policy["alike"] else (mean["low"], mean["high"])
            rows.append((spec, size, lines, mean["mean"], *interval))
    return rows


def curve(rows: list[tuple]) -> Drawing:
    """The picture; a band is the 95 % interval over runs."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=SIZE_IN)
    specs = list(dict.fromkeys(row[0] for row in rows))
    colours = policy_colours(specs)
    for spec in specs:
        by_lines = sorted((row for row in rows if row[0] == spec), key=lambda row: row[2])
        _, _, lines, mean, low, high = zip(*by_lines, strict=True)
        axes.plot(lines, mean, color=colours[spec], label=spec, marker="o", markersize=3)
        if None not in low and low != high:
            axes.fill_between(lines, low, high, color=colours[spec], alpha=0.2, linewidth=0)
    axes.set(xscale="log", xlabel="lines of the cache", ylabel="miss ratio")
    axes.legend(fontsize=8)
    best = min(rows, key=lambda row: row[3])
    bands = any(low is not None and low < high for *_, low, high in rows)
    drawn = "; bands: 95 % intervals over runs" if bands else ""
    caption = f"Share of the page requests that miss, by lines of the cache{drawn}."
    alt = f"The lowest miss ratio, {best[3]:.4f}, is that of {best[0]} with {best[2]:,} lines."
    return Drawing("curve", figure, caption, alt, Table("curve", caption, HEADER, rows))
