"""Measures of runs by storage, seed, workload and policy, and what the paper's percentages can mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from pmtwin.scenarios.hybrid_storage.figures.policies import HARMONIA, ORACLE, SIBYL
from pmtwin.scenarios.hybrid_storage.published import SUITES, TABLE_4
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import ESTIMATE

LATENCY, THROUGHPUT, WRITTEN = "slowdown", "throughput", "write_amplification"
TAIL_WORKLOADS = ("LUN0", "ssd-00", "YCSB-B")


class Runs:
    """The runs of one seed on one storage.

    Args:
        rows: of `experiments.runs`.
    """

    def __init__(self, rows: Iterable[dict[str, Any]]):
        self.values = {(row["workload"], row["policy"]): row for row in rows}
        self.workloads = tuple(dict.fromkeys(workload for workload, _ in self.values))
        self.policies = tuple(dict.fromkeys(policy for _, policy in self.values))

    def mean(self, policy: str, measure: str = LATENCY, workloads: Sequence[str] = ()) -> float:
        """Mean over workloads, or over all; NaN where a run has none."""
        chosen = [self.values[name, policy].get(measure) for name in workloads or self.workloads]
        return float(np.mean([np.nan if value is None else value for value in chosen]))

    @property
    def has_estimate(self) -> bool:
        """Whether the optimum of some workload is an estimate, of which no share is stated."""
        return any(self.values.get((name, ORACLE), {}).get("kind") == ESTIMATE for name in self.workloads)


def by_seed(rows: Iterable[dict[str, Any]]) -> dict[str, list[Runs]]:
    """Storage -> the runs of each seed."""
    groups: dict[str, dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        groups.setdefault(row["label"], {}).setdefault(row["seed"], []).append(row)
    return {label: [Runs(seeds[number]) for number in sorted(seeds)] for label, seeds in groups.items()}


def of_kind(kind: str) -> tuple[str, ...]:
    """Traces that are read- or write-intensive, or near equal."""
    return tuple(name for name, traffic in TABLE_4.items() if traffic.suite in SUITES[kind])


Readings = Callable[[Runs], tuple[float, ...]]
"""What a percentage can mean, in %: one number, or one for each reading."""

NAMES = ("L_S / L_H \u2212 1", "1 \u2212 L_H / L_S")
"""The two readings of "H is n % better than S", for latencies L."""


def over(ours: str, theirs: str, measure: str = LATENCY, workloads: Sequence[str] = ()) -> Readings:
    """How much better the first policy is: in both readings."""

    def readings(runs: Runs) -> tuple[float, ...]:
        ratio = runs.mean(theirs, measure, workloads) / runs.mean(ours, measure, workloads)
        if measure == THROUGHPUT:
            ratio = 1.0 / ratio
        return 100.0 * (ratio - 1.0), 100.0 * (1.0 - 1.0 / ratio)

    return readings


def below(ours: str, theirs: str) -> Readings:
    """How much worse the first policy is: in both readings of the latter being better."""
    return over(theirs, ours)


def of_oracle(policy: str, measure: str = LATENCY) -> Readings:
    """Performance as a share of the optimum's."""

    def readings(runs: Runs) -> tuple[float, ...]:
        share = runs.mean(policy, measure) / runs.mean(ORACLE, measure)
        return (100.0 * (share if measure == THROUGHPUT else 1.0 / share),)

    return readings


def gap_closed(runs: Runs) -> tuple[float, ...]:
    """Share of the gap from Sibyl to the optimum that Harmonia closes."""
    begin, end = runs.mean(SIBYL), runs.mean(ORACLE)
    return (100.0 * (begin - runs.mean(HARMONIA)) / (begin - end),)


def tail_below(measure: str) -> Readings:
    """How much a percentile of Harmonia is below that of Sibyl, mean of three workloads."""

    def readings(runs: Runs) -> tuple[float, ...]:
        ratios = [runs.values[name, HARMONIA][measure] / runs.values[name, SIBYL][measure] for name in TAIL_WORKLOADS]
        return (100.0 * (1.0 - float(np.mean(ratios))),)

    return readings


def mean_of(policy: str, measure: str, workloads: Sequence[str] = ()) -> Readings:
    """A measure, not in %."""
    return lambda runs: (runs.mean(policy, measure, workloads),)


def largest_over(ours: str, theirs: str, workloads: Sequence[str]) -> Readings:
    """The most that the first policy is better on one of the workloads."""

    def readings(runs: Runs) -> tuple[float, ...]:
        return tuple(
            max(each) for each in zip(*(over(ours, theirs, workloads=[name])(runs) for name in workloads), strict=True)
        )

    return readings
