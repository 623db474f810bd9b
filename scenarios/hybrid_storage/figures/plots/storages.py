"""Figures 3, 8 to 10 and 12 to 16: policies on the paper's storages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pmtwin.figures.drawing.numbers import number
from pmtwin.figures.drawing.rendered import Cell, Drawing, Rendered, Statement, Table
from pmtwin.figures.drawing.style import BLUE, ORANGE, PAGE_IN
from pmtwin.scenarios.hybrid_storage.figures.averages import (
    LATENCY,
    TAIL_WORKLOADS,
    THROUGHPUT,
    WRITTEN,
    Runs,
    by_seed,
    of_kind,
)
from pmtwin.scenarios.hybrid_storage.figures.claims import PREDICTED
from pmtwin.scenarios.hybrid_storage.figures.plots.parts import PRIOR, basis, called, compared, suites
from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA, PAPER, RNN_HSS, SIBYL
from pmtwin.scenarios.hybrid_storage.published import LESS_WRITTEN, MORE_TO_FAST, MOST_TO_SLOW, SIBYL_OF_ORACLE

AVG_IS = "AVG is the mean over the workloads."
ORACLE_IS = f"Oracle is the optimum with free moves and without prefetch (a lower bound); {AVG_IS}"
ESTIMATED = (
    "Oracle is an estimate here, which a policy can beat: several threads wait for one another, so that policies "
    "change the order of requests that the optimum takes as given. No share of it is stated."
)


def _both(results: dict) -> list[dict]:
    return [row for name in ("perf", "cost") for row in results[name]["runs"]]


def render_3(results: dict) -> Rendered:
    """Prior policies and their extensions."""
    words = f"Figure 3. {ORACLE_IS} Sibyl's own paper has it at {SIBYL_OF_ORACLE:g} % of an Oracle."
    return compared("3", "Prior policies", _both(results), (LATENCY,), words, PRIOR)


def render_8(results: dict) -> Rendered:
    """Latency of all policies, with the controls that the paper lacks."""
    words = f"Figure 8, with controls that the paper lacks. {ORACLE_IS}"
    return compared("8", "Mean latency", _both(results), (LATENCY,), words)


def render_9(results: dict) -> Rendered:
    """Throughput."""
    words = "Figure 9, with controls. Each thread waits for an answer and then for the gap of Table 4."
    return compared("9", "Throughput", _both(results), (THROUGHPUT,), words)


def render_10(results: dict) -> Rendered:
    """Tail latencies of three workloads."""
    rows = [row for row in results["perf"]["runs"] if row["workload"] in TAIL_WORKLOADS]
    words = "Figure 10, with controls. The 99.99th percentile of a short run is nearly its longest latency."
    return compared("10", "Tails", rows, ("p99_us", "p9999_us"), words, workloads=TAIL_WORKLOADS)


def render_12(results: dict) -> Rendered:
    """Persistent memory above device H."""
    return compared("12", "Persistent memory", results["pmem"]["runs"], (LATENCY,), f"Figure 12. {ORACLE_IS}")


def render_13(results: dict) -> Rendered:
    """Mixes of workloads."""
    words = f"Figure 13. {ESTIMATED} {AVG_IS}"
    return compared("13", "Mixes", results["mixes"]["runs"], (LATENCY,), words)


def render_14(results: dict) -> Rendered:
    """Three and four devices."""
    words = (
        "Figure 14, with controls. No optimum is computed for more than two devices. heat leaves the last but one of "
        "four devices empty, so that its bars are equal."
    )
    return compared("14", "Three and four devices", results["several"]["runs"], (LATENCY,), words)


def render_15(results: dict) -> Rendered:
    """Write amplification."""
    words = "Figure 15: bytes written to devices over bytes that requests write. The optimum has none."
    rows = _both(results)
    drawn = compared("15", "Write amplification", rows, (WRITTEN,), words)
    writers = [_less_written(config, runs) for config, runs in by_seed(rows).items()]
    return replace(drawn, statements=[*drawn.statements, *writers])


def _less_written(config: str, seeds: Sequence[Runs]) -> Statement:
    """Which of the paper's policies write less than Harmonia: its text gives two."""
    written = {
        spec: float(np.mean([runs.mean(spec, WRITTEN) for runs in seeds]))
        for spec in PAPER
        if spec in seeds[0].policies
    }
    less = [spec for spec in written if written[spec] < written[HARMONIA]]
    names = ", ".join(PAPER[spec] for spec in less) or "none"
    is_so = set(less) == {SIBYL, RNN_HSS} & set(written)
    return Statement(LESS_WRITTEN.place, f"{config}: {LESS_WRITTEN.claim}", f"less: {names}", is_so, used=False)


def render_16(results: dict) -> Rendered:
    """Pages that Harmonia's migration agent moved to the fast and to the slow device."""
    import matplotlib.pyplot as plt

    rows = _both(results)
    seeds = by_seed(rows)
    figure, panels = plt.subplots(1, len(seeds), figsize=(PAGE_IN, 2.6), sharey=True)
    cells: list[tuple[Cell, ...]] = []
    for axes, (config, runs) in zip(np.atleast_1d(panels), seeds.items(), strict=True):
        groups = suites(runs[0])
        for place, (group, names) in enumerate(groups.items()):
            moves, share = float(np.mean([run.mean(HARMONIA, "moves", names) for run in runs])), _to_fast(runs, names)
            cells.append((config, group, round(moves, 1), round(share, 1) if moves else None))
            if moves:
                axes.bar(place, share, 0.7, color=BLUE, label="to the fast device" if not place else None)
                axes.bar(
                    place, 100.0 - share, 0.7, share, color=ORANGE, label="to the slow device" if not place else None
                )
            else:
                axes.text(place, 50, "none", ha="center")
        axes.set_xticks(range(len(groups)), list(groups), fontsize=7)
        axes.set_title(called(config))
        axes.grid(axis="x", visible=False)
    np.atleast_1d(panels)[0].set_ylabel("pages moved (%)")
    handles, labels = np.atleast_1d(panels)[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    caption = (
        f"Figure 16: where the migration agent of Harmonia moves pages. {basis(rows)} The paper states the order "
        f"alone: most to the slow device, more to the fast one where reads prevail. {PREDICTED}"
    )
    alt = "; ".join(
        f"{config}, {group}: {share} % of {moves} pages to the fast device" for config, group, moves, share in cells
    )
    header = ("storage", "workloads", "pages moved", "to the fast device (%)")
    return Rendered(
        [Drawing("hybrid-16", figure, caption, alt)],
        [Table("hybrid-16", "Moves by direction", header, cells)],
        [statement for config, runs in seeds.items() for statement in _directions(config, runs)],
    )


def _directions(config: str, seeds: Sequence[Runs]) -> list[Statement]:
    """What the paper says of figure 16, which has no numbers in its text."""
    asked = {"all": (), **{kind: of_kind(kind) for kind in ("read-intensive", "write-intensive")}}
    share = {kind: _to_fast(seeds, names) for kind, names in asked.items()}
    slow = Statement(
        MOST_TO_SLOW.place, f"{config}: {MOST_TO_SLOW.claim}", f"{number(100.0 - share['all'])} %",
        bool(share["all"] < 50.0), used=False,
    )  # fmt: skip
    fast = Statement(
        MORE_TO_FAST.place, f"{config}: {MORE_TO_FAST.claim}",
        f"{number(share['read-intensive'])} and {number(share['write-intensive'])} %",
        bool(share["read-intensive"] > share["write-intensive"]), used=False,
    )  # fmt: skip
    return [slow, fast]


def _to_fast(seeds: Sequence[Runs], workloads: Sequence[str]) -> float:
    """Pages that go to the fast device, in percent of those that Harmonia's migration agent moves; NaN of none."""
    moves, fast = (sum(run.mean(HARMONIA, name, workloads) for run in seeds) for name in ("moves", "promotions"))
    return 100.0 * fast / moves if moves else float("nan")
