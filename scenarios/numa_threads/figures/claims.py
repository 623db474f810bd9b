"""Published ratios beside those of simulated programs, and the shares of runs and of sampled systems where they hold.

No number of the paper sets a parameter: all that stands here was predicted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from pmtwin.figures.drawing.numbers import number, percent
from pmtwin.figures.drawing.rendered import Cell, Statement, Table
from pmtwin.scenarios.numa_threads.published import (
    BEHIND_BEST,
    MINUTES,
    P99_BELOW_LINUX,
    P99_BELOW_RULE,
    READS_BELOW_LINUX,
    READS_BELOW_RULE,
    WRITES_OVER_LINUX,
)

LINUX, RULE, SMART, BEST = "none", "rule", "linucb", "best"
CALLED = {LINUX: "Linux (SD)", RULE: "Rule", SMART: "Smart Scheduler (SS)", BEST: "the best of the three"}
REAL, P99 = "real_s", "p99_ms"
WRITES, READS = ("fillrandom", "fillseq"), ("readrandom", "readseq")

CLOSE = 0.10
"""A ratio that differs by at most this share counts as the published one."""

ALIKE = 0.05
"""Two that differ by at most this share count as alike."""

PREDICTED = "No number of the paper sets a parameter: all ratios are predicted."

Programs = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Workload -> policy -> what came out of one program."""


class Claim(NamedTuple):
    """A published ratio of two policies.

    Fields:
        place: in the paper. workloads: that it is about; `pick` takes one of their ratios ("min", "max").
        measure, ours, theirs: what is divided. ratio: as published; `at_most`: it is the most that there was.
    """

    place: str
    workloads: tuple[str, ...]
    measure: str
    ours: str
    theirs: str
    ratio: float
    pick: str = "max"
    at_most: bool = False

    @property
    def text(self) -> str:
        """The claim in words."""
        what = "time" if self.measure == REAL else "p99"
        end = f" ({'least' if self.pick == 'min' else 'most'})" if len(self.workloads) > 1 else ""
        return f"{', '.join(self.workloads)}: {what} of {CALLED[self.ours]} over that of {CALLED[self.theirs]}{end}"

    def value(self, programs: Programs) -> float:
        """The ratio of some programs."""
        ratios = [
            _of(programs[name], self.ours, self.measure) / _of(programs[name], self.theirs, self.measure)
            for name in self.workloads
        ]
        return min(ratios) if self.pick == "min" else max(ratios)

    def in_order(self, value: float) -> bool:
        """Whether a ratio has the published order: which is smaller, or that both are alike."""
        if abs(self.ratio - 1.0) < BEHIND_BEST:
            return abs(value - 1.0) <= ALIKE
        return (value < 1.0) == (self.ratio < 1.0)

    def close(self, value: float) -> bool:
        """Whether a ratio is the published one, but for a tenth, or no more than what is published as the most."""
        if self.at_most:
            return value <= self.ratio
        return abs(value / self.ratio - 1.0) <= CLOSE


def _of(policies: Mapping[str, Mapping[str, float]], name: str, measure: str) -> float:
    if name == BEST:
        return min(each[measure] for each in policies.values())
    return policies[name][measure]


TIMES = (
    Claim("9.2.1", WRITES, REAL, SMART, LINUX, WRITES_OVER_LINUX, "min"),
    Claim("9.2.1", WRITES, REAL, SMART, RULE, 1.0),
    Claim("9.2.1", READS, REAL, SMART, LINUX, 1.0 - READS_BELOW_LINUX, "min"),
    Claim("9.2.1", READS, REAL, SMART, RULE, 1.0 - READS_BELOW_RULE, "min"),
    Claim("9.2.1", (*WRITES, *READS), REAL, SMART, BEST, 1.0 + BEHIND_BEST, at_most=True),
)
LATENCIES = (
    Claim("9.2.2", WRITES[:1], P99, SMART, LINUX, 1.0 - P99_BELOW_LINUX),
    Claim("9.2.2", WRITES[:1], P99, SMART, RULE, 1.0 - P99_BELOW_RULE),
)
MIXES = tuple(
    Claim("10", (f"mixed-{reads}",), REAL, ours, theirs, ratio)
    for reads, (smart, linux, rule) in MINUTES.items()
    for ours, theirs, ratio in ((SMART, LINUX, smart / linux), (LINUX, RULE, linux / rule), (SMART, RULE, smart / rule))
)


class Shown(NamedTuple):
    """A claim beside what came out.

    Fields:
        mean: over seeds. seeds, samples: the ratio in each of them.
    """

    claim: Claim
    seeds: list[float]
    samples: list[float]

    @property
    def of(self) -> str:
        """What shares are taken of."""
        return "systems" if self.samples else "seeds"

    @property
    def mean(self) -> float:
        return float(np.mean(self.seeds))

    @property
    def ends(self) -> tuple[float, float]:
        """5th and 95th percentile over the sampled systems, or least and most over seeds without any."""
        if not self.samples:
            return min(self.seeds), max(self.seeds)
        low, high = np.percentile(self.samples, (5.0, 95.0)).tolist()
        return low, high


def shown(claims: Iterable[Claim], runs: list[dict]) -> list[Shown]:
    """Each claim with the ratios of all seeds and samples; `runs`: of the experiment `programs`."""
    by_seed, by_sample = _grouped(runs)
    return [Shown(each, *([each.value(part) for part in parts] for parts in (by_seed, by_sample))) for each in claims]


def _grouped(runs: list[dict]) -> tuple[list[Programs], list[Programs]]:
    """Programs of each seed on the profile's device, and of each sampled system."""
    groups: dict[tuple, dict[str, dict[str, Mapping[str, float]]]] = {}
    for run in runs:
        key = (run["sample"] is not None, run["seed"] if run["sample"] is None else run["sample"])
        groups.setdefault(key, {}).setdefault(run["workload"], {})[run["policy"]] = run
    ordered = sorted(groups.items())
    seeds: list[Programs] = [group for (sampled, _), group in ordered if not sampled]
    samples: list[Programs] = [group for (sampled, _), group in ordered if sampled]
    return seeds, samples


def table(name: str, title: str, rows: list[Shown]) -> Table:
    """A row for each claim."""
    header = ("claim", "place", "published", "here", "5 %", "95 %", f"{rows[0].of} with this order", "within a tenth")
    cells: list[tuple[Cell, ...]] = [
        (
            each.claim.text, each.claim.place, round(each.claim.ratio, 3), round(each.mean, 3),
            *(round(end, 3) for end in each.ends), *shares(each),
        )
        for each in rows
    ]  # fmt: skip
    return Table(name, title, header, cells, f"{basis(rows)} {PREDICTED}")


def shares(each: Shown) -> tuple[str, str]:
    """Shares of the sampled systems with the published order, and with a ratio within a tenth of the published one."""
    values = each.samples or each.seeds
    order, size = ([test(value) for value in values] for test in (each.claim.in_order, each.claim.close))
    return percent(float(np.mean(order))), percent(float(np.mean(size)))


def basis(rows: list[Shown]) -> str:
    """What means and ends are taken over."""
    seeds, samples = len(rows[0].seeds), len(rows[0].samples)
    if samples:
        return f"Here: mean of {seeds} seeds with the profile; ends and shares: {samples} sampled systems."
    return f"Mean, least and most of {seeds} seeds, and shares of them; the device is that of the profile."


def statements(rows: list[Shown]) -> list[Statement]:
    """Each claim with its verdict on the profile's device: order and size."""
    verdicts = []
    for each in rows:
        order, size = shares(each)
        low, high = map(number, each.ends)
        computed = (
            f"{number(each.mean)} [{low}, {high}]; this order in {order}, within a tenth in {size} of the {each.of}"
        )
        holds = each.claim.in_order(each.mean) and each.claim.close(each.mean)
        published = f"{each.claim.text}: {number(each.claim.ratio)}"
        verdicts.append(
            Statement(
                each.claim.place, published, computed, bool(holds), number(each.mean - each.claim.ratio), used=False
            )
        )
    return verdicts
