"""Figure B.1 and the statements of thesis section 4.2, each checked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pmtwin.figures.drawing.numbers import number, percent, with_interval
from pmtwin.figures.drawing.rendered import Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import PAGE_IN
from pmtwin.scenarios.nvm_middleware import published
from pmtwin.sim.numerics.statistics import Interval, mean_interval

TOO_FEW, TOO_MANY = 2, 24
"""Threads of a pool up to which, and from which on, a combination counts as having too few, or too many."""

NEAR_PEAK = 0.95
"""Share of the highest throughput of all that counts as reaching the peak."""

SUPERIOR_QUANTILE = 0.25
"""A latency among the best quarter of the combinations counts as superior."""


class Measured:
    """The runs as arrays; ratios are against no middleware with the same seed.

    Attributes:
        interactive, batch: pool sizes, shape (42,).
        p99_us, batch_ops: shape (42, seeds); p99_none_us, batch_none_ops: shape (seeds,).
    """

    def __init__(self, data: dict):
        self.interactive, self.batch = np.array(data["combinations"]).T
        self.p99_us = np.array([row["p99_us"] for row in data["pools"]])
        self.batch_ops = np.array([row["batch_ops"] for row in data["pools"]])
        self.p99_none_us, self.batch_none_ops = (np.array(data["none"][key]) for key in ("p99_us", "batch_ops"))

    @property
    def p99_ratio(self) -> np.ndarray:
        """Latency over that of no middleware, shape (42, seeds)."""
        return self.p99_us / self.p99_none_us

    @property
    def batch_ratio(self) -> np.ndarray:
        """Batch throughput over that of no middleware, shape (42, seeds)."""
        return self.batch_ops / self.batch_none_ops

    def label(self, k: int) -> str:
        """INTERACTIVE,BATCH of a combination."""
        return f"{self.interactive[k]},{self.batch[k]}"


def render(results: dict) -> Rendered:
    """Figures and tables from the values of the experiment `concurrency`."""
    measured = Measured(results["concurrency"])
    return Rendered([_drawing(measured)], [_table(measured)], statements(measured))


def statements(measured: Measured) -> list[Statement]:
    """Statements of section 4.2, and the twin's values."""
    return [
        _best_latency(measured),
        _best_throughput(measured),
        _worse(measured),
        _most(measured),
        _sixteen_and_few(measured),
        _many_batch(measured),
    ]


def _interval(samples: np.ndarray) -> Interval:
    return mean_interval(samples.tolist())


def _best_latency(m: Measured) -> Statement:
    best = int(np.argmin(m.p99_ratio.mean(axis=1)))
    gain = _interval(1.0 - m.p99_ratio[best])
    return Statement(
        published.SECTION_4_2,
        f"p99 latency improves by up to {percent(published.BEST_P99_IMPROVEMENT)} against no middleware",
        f"{with_interval(gain, 3, 100, ' %')} with pools {m.label(best)}",
        difference=f"{100 * (gain['mean'] - published.BEST_P99_IMPROVEMENT):+.1f} points",
        used=True,
    )


def _best_throughput(m: Measured) -> Statement:
    best = int(np.argmax(m.batch_ratio.mean(axis=1)))
    gain = _interval(m.batch_ratio[best] - 1.0)
    return Statement(
        published.SECTION_4_2,
        f"batch throughput improves by up to {percent(published.BEST_THROUGHPUT_IMPROVEMENT)}",
        f"{with_interval(gain, 3, 100, ' %')} with pools {m.label(best)}",
        difference=f"{100 * (gain['mean'] - published.BEST_THROUGHPUT_IMPROVEMENT):+.1f} points",
        used=True,
    )


def _worse(m: Measured) -> Statement:
    slower, less = m.p99_ratio > 1.0, m.batch_ratio < 1.0
    counts = {
        name: _interval(which.sum(axis=0).astype(float))
        for name, which in (("in p99", slower), ("in batch throughput", less), ("in either", slower | less))
    }
    worse = (slower | less).mean(axis=1) > 0.5
    smaller, larger = np.minimum(m.interactive, m.batch), np.maximum(m.interactive, m.batch)
    few = bool(np.any(worse & (smaller <= TOO_FEW) & (larger < TOO_MANY)))
    many = bool(np.any(worse & (smaller > TOO_FEW) & (larger >= TOO_MANY)))
    text = "; ".join(f"{with_interval(count)} {name}" for name, count in counts.items())
    return Statement(
        published.SECTION_4_2,
        "too few or too many threads are worse than no middleware",
        f"of 42 combinations are worse: {text}",
        holds=few and many,
        used=True,
    )


def _most(m: Measured) -> Statement:
    better = (m.p99_ratio.mean(axis=1) < 1.0), (m.batch_ratio.mean(axis=1) > 1.0)
    both = int((better[0] & better[1]).sum())
    return Statement(
        published.SECTION_4_2,
        "performance is generally improved across most thread combinations",
        f"better than none: {better[0].sum()} of 42 in p99, {better[1].sum()} in batch throughput, {both} in both",
        holds=bool(better[0].sum() > 21 and better[1].sum() > 21),
        used=True,
    )


def _sixteen_and_few(m: Measured) -> Statement:
    chosen = (m.interactive == 16) & (m.batch < 8)
    p99, batch = m.p99_us.mean(axis=1), m.batch_ops.mean(axis=1)
    share = batch[chosen] / batch.max()
    superior = bool(np.all(p99[chosen] <= np.quantile(p99, SUPERIOR_QUANTILE)))
    below_peak = bool(np.all(share < NEAR_PEAK))
    return Statement(
        published.SECTION_4_2,
        "16 interactive with fewer than 8 batch threads: superior latency, but not peak throughput",
        f"p99 {number(p99[chosen].min())} to {number(p99[chosen].max())} us (best of all {number(p99.min())}), "
        f"throughput {percent(share.min())} to {percent(share.max())} of the peak",
        holds=superior and below_peak,
        used=True,
    )


def _many_batch(m: Measured) -> Statement:
    chosen = m.batch > 16
    p99, batch = m.p99_us.mean(axis=1), m.batch_ops.mean(axis=1)
    share = batch[chosen] / batch.max()
    fewer = np.array([p99[(m.interactive == i) & (m.batch == 8)][0] for i in m.interactive[chosen]])
    return Statement(
        published.SECTION_4_2,
        "any combination with more than 16 batch threads: peak throughput, but elevated latency",
        f"throughput {percent(share.min())} to {percent(share.max())} of the peak (which is at "
        f"{m.label(int(np.argmax(batch)))}); p99 {number((p99[chosen] / fewer).min())} to "
        f"{number((p99[chosen] / fewer).max())} times that with 8 batch threads",
        holds=bool(np.all(share >= NEAR_PEAK) and np.all(p99[chosen] > fewer)),
        used=True,
    )


def _table(m: Measured) -> Table:
    rows = [("none", None, *_row(m.p99_none_us, m.batch_none_ops), 1.0, 1.0)]
    for k in range(len(m.interactive)):
        ratios = (float(m.p99_ratio[k].mean()), float(m.batch_ratio[k].mean()))
        rows.append((int(m.interactive[k]), int(m.batch[k]), *_row(m.p99_us[k], m.batch_ops[k]), *ratios))
    header = (
        *("interactive_threads", "batch_threads", "p99_us", "p99_low_us", "p99_high_us"),
        *("batch_ops", "batch_low_ops", "batch_high_ops", "p99_ratio", "batch_ratio"),
    )
    return Table("figure-b1", "Figure B.1 in numbers", header, rows, "ratios against no middleware", shown=False)


def _row(p99_us: np.ndarray, batch_ops: np.ndarray) -> tuple:
    latency, throughput = _interval(p99_us), _interval(batch_ops)
    return tuple(end for part in (latency, throughput) for end in (part["mean"], part["low"], part["high"]))


def _drawing(m: Measured) -> Drawing:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE_IN, 2.9))
    _panel(left, m, m.p99_ratio.mean(axis=1), np.argmin, "p99 latency of YCSB (ratio to none)", lambda r: r > 1.0)
    _panel(right, m, m.batch_ratio.mean(axis=1), np.argmax, "batch throughput (ratio to none)", lambda r: r < 1.0)
    none = _interval(m.p99_none_us), _interval(m.batch_none_ops)
    return Drawing(
        "figure-b1",
        figure,
        "Each cell is one combination of pools, as a multiple of no middleware (mean over seeds); blue is better, "
        "orange worse, a thick frame marks the best, italics what is worse than no middleware. "
        f"No middleware: p99 {with_interval(none[0], 4, 1e-3, ' ms')}, batch throughput "
        f"{with_interval(none[1], 4, 1e-3, ' k ops/s')} (95 % interval over seeds). "
        "Figure B.1 itself does not survive.",
        "Two heat maps over interactive and batch threads: p99 latency and batch throughput against no middleware.",
    )


def _panel(axes, m: Measured, ratio: np.ndarray, best: Callable, title: str, is_worse: Callable) -> None:
    from matplotlib.colors import TwoSlopeNorm
    from matplotlib.patches import Rectangle

    rows, columns = published.FIGURE_B1_INTERACTIVE, published.FIGURE_B1_BATCH
    grid = ratio.reshape(len(rows), len(columns))
    better_is_low = best is np.argmin
    shade = np.log(grid) if better_is_low else -np.log(grid)
    norm = TwoSlopeNorm(0.0, min(shade.min(), -1e-6), max(shade.max(), 1e-6))
    axes.pcolormesh(shade, cmap=_blue_to_orange(), norm=norm, edgecolors="white", linewidth=1.2)
    for (i, j), value in np.ndenumerate(grid):
        strong = abs(norm(shade[i, j]) - 0.5) > 0.36
        style = {"fontstyle": "italic"} if is_worse(value) else {}
        text = f"{value:.2f}"
        axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color="white" if strong else "#222222", **style)
    i, j = np.unravel_index(best(grid), grid.shape)
    axes.add_patch(Rectangle((j, i), 1, 1, fill=False, edgecolor="black", linewidth=1.8, clip_on=False))
    axes.set_xticks(np.arange(len(columns)) + 0.5, columns)
    axes.set_yticks(np.arange(len(rows)) + 0.5, rows)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.set(xlabel="batch threads", ylabel="interactive threads", title=title)


def _blue_to_orange():
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("better-worse", ["#0b5c91", "#8fc0e0", "#f7f7f7", "#f3bf73", "#c06a00"])
