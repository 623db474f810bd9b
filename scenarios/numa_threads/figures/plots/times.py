"""Figure 6 and the times of mixtures: programs under three policies beside the published ratios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Drawing, Rendered
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.numa_threads.figures.claims import (
    LATENCIES,
    LINUX,
    MIXES,
    P99,
    PREDICTED,
    READS,
    REAL,
    RULE,
    SMART,
    TIMES,
    WRITES,
    Shown,
    basis,
    shown,
    statements,
    table,
)
from pmtwin.scenarios.numa_threads.figures.plots.parts import bars, data, means, ratios
from pmtwin.scenarios.numa_threads.published import MINUTES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PATTERNS = (*WRITES, *READS)
PARTS = {REAL: "real time (s)", "user_s": "user time (CPU s)", "sys_s": "sys time (CPU s)"}
SHORT = {LINUX: "SD", RULE: "Rule", SMART: "SS", "best": "best"}


def render_times(results: dict) -> Rendered:
    """Figure 6: real, user and sys time of the four patterns, and the ratios that the text states."""
    import matplotlib.pyplot as plt

    runs = results["programs"]["runs"]
    rows = shown(TIMES, runs)
    figure, panels = plt.subplot_mosaic([list("rus"), list("ccc")], figsize=(PAGE_IN, 4.3), height_ratios=(1.25, 1.0))
    for axes, (measure, label) in zip((panels[part] for part in "rus"), PARTS.items(), strict=True):
        bars(axes, means(runs, measure), PATTERNS)
        axes.set_ylabel(label)
        axes.tick_params(axis="x", rotation=30)
    labels = [f"{_kind(each)}: {_pair(each)}{' (published: at most)' if each.claim.at_most else ''}" for each in rows]
    ratios(panels["c"], rows, labels)
    panels["c"].set_xlabel("ratio of real times (below 1: the first is faster)")
    _legends(figure, panels["r"], panels["c"])
    caption = (
        "Figure 6, whose bars have no numbers in the text: 960,000 requests of 48 threads, values of 400 kB. Below: "
        f"the ratios of the text. {basis(rows)} {PREDICTED} User and sys are as named, where the text swaps them."
    )
    drawing = Drawing("numa-times", figure, caption, f"Times of programs. Ratios here: {_said(labels, rows)}.")
    return Rendered([drawing], [table("numa-times", "Times of the four patterns", rows), data(runs)], statements(rows))


def render_p99(results: dict) -> Rendered:
    """Section 9.2.2: p99 of fillrandom, and of the other patterns, for which nothing is published."""
    import matplotlib.pyplot as plt

    runs = results["programs"]["runs"]
    rows = shown(LATENCIES, runs)
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE_IN, 2.5), width_ratios=(1.4, 1.0))
    bars(left, means(runs, P99), PATTERNS)
    left.set_ylabel("p99 of an operation (ms)")
    labels = [_pair(each) for each in rows]
    ratios(right, rows, labels)
    right.set_title("fillrandom: ratios of p99")
    right.set_xlabel("ratio (below 1: the first is lower)")
    _legends(figure, left, right)
    caption = (
        "p99 of operations, mean over windows of 1 s. The paper states the two ratios of fillrandom alone. "
        f"{basis(rows)} {PREDICTED}"
    )
    drawing = Drawing("numa-p99", figure, caption, f"p99 of operations. Ratios of fillrandom: {_said(labels, rows)}.")
    return Rendered([drawing], [table("numa-p99", "p99 of fillrandom", rows)], statements(rows))


def render_mixes(results: dict) -> Rendered:
    """Section 10: mixtures, whose minutes are stated, so that ratios can be set beside ours."""
    import matplotlib.pyplot as plt

    runs = results["programs"]["runs"]
    rows, real = shown(MIXES, runs), means(runs, REAL)
    published = {
        f"mixed-{reads}": dict(zip((SMART, LINUX, RULE), minutes, strict=True)) for reads, minutes in MINUTES.items()
    }
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(PAGE_IN, 2.9), width_ratios=(1.0, 1.0, 1.25))
    for axes, values, title in ((left, published, "published"), (middle, _minutes(real), "here")):
        bars(axes, values, list(published))
        axes.set_xticks(range(len(MINUTES)), [f"{reads} %" for reads in MINUTES])
        axes.set_xlabel("reads")
        axes.set_title(title)
        axes.set_ylabel("minutes")
    labels = [f"{each.claim.workloads[0].partition('-')[2]} %: {_pair(each)}" for each in rows]
    ratios(right, rows, labels)
    right.set_title("ratios")
    right.set_xlabel("ratio (below 1: the first is faster)")
    _legends(figure, left, right)
    caption = (
        "Mixtures with 50, 70 and 90 % of reads. The paper does not say how many requests its minutes are for; only "
        f"ratios compare. {basis(rows)} {PREDICTED}"
    )
    drawing = Drawing("numa-mixes", figure, caption, f"Times of mixtures. Ratios here: {_said(labels, rows)}.")
    return Rendered([drawing], [table("numa-mixes", "Times of mixtures", rows)], statements(rows))


def _minutes(real: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {name: {spec: seconds / 60.0 for spec, seconds in parts.items()} for name, parts in real.items()}


def _kind(each: Shown) -> str:
    kinds: dict[tuple[str, ...], str] = {WRITES: "writes", READS: "reads"}
    return kinds.get(each.claim.workloads, "all four")


def _pair(each: Shown) -> str:
    return f"{SHORT[each.claim.ours]} / {SHORT[each.claim.theirs]}"


def _said(labels: list[str], rows: list[Shown]) -> str:
    """The ratios in words."""
    pairs = zip(labels, rows, strict=True)
    return "; ".join(f"{label} {number(each.mean)}, published {number(each.claim.ratio)}" for label, each in pairs)


def _legends(figure: Figure, bars_of: Axes, ratios_of: Axes) -> None:
    """Policies, and the two kinds of marks, below the panels."""
    handles, labels = bars_of.get_legend_handles_labels()
    more, marks = ratios_of.get_legend_handles_labels()
    figure.legend([*handles, *more], [*labels, *marks], loc="outside lower center", ncols=5)
