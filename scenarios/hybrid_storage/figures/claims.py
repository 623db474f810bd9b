"""Published numbers beside those that came out, by figure: each claim says which runs it is about, and how it reads.

Tables 3 to 5 of the paper set devices and workloads. No result of it sets a parameter, except in `calibration`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pmtwin.figures.drawing.numbers import number, with_interval
from pmtwin.figures.drawing.rendered import Cell, Statement, Table
from pmtwin.scenarios.hybrid_storage.figures.averages import (
    LATENCY,
    NAMES,
    THROUGHPUT,
    WRITTEN,
    Readings,
    Runs,
    below,
    gap_closed,
    largest_over,
    mean_of,
    of_kind,
    of_oracle,
    over,
    tail_below,
)
from pmtwin.scenarios.hybrid_storage.figures.experiments.storages import COST, PERF, PMEM, QUAD, TRI
from pmtwin.scenarios.hybrid_storage.figures.policies import (
    CDE,
    CDE_RL,
    HARMONIA,
    K_SVM,
    ORACLE,
    RNN_HSS,
    SAPM,
    SIBYL,
)
from pmtwin.scenarios.hybrid_storage.published import CLAIMS, Claim
from pmtwin.scenarios.hybrid_storage.yardsticks.yardstick import ESTIMATE
from pmtwin.sim.numerics.statistics import Interval, mean_interval

CLOSE = 0.10
"""A number that differs by at most this share counts as the published one."""

PREDICTED = (
    "Tables 3 to 5 of the paper set devices and workloads; no result of it sets a parameter: all numbers are predicted."
)
READ, WRITE = of_kind("read-intensive"), of_kind("write-intensive")


class Asked(NamedTuple):
    """How a published claim reads from runs.

    Fields:
        figure: entry that shows it. name, claim: of `published.CLAIMS`. readings: what it can mean.
        needs: policies. configs: storages of its two values.
    """

    figure: str
    name: str
    claim: str
    readings: Readings
    needs: tuple[str, ...]
    configs: tuple[str, ...] = (PERF, COST)

    @property
    def published(self) -> Claim:
        """The claim."""
        (claim,) = (each for each in CLAIMS if each.name == self.name and each.claim.removesuffix(", %") == self.claim)
        return claim

    def value(self, config: str) -> float | None:
        """The published number for a storage."""
        if self.configs == (PERF, COST):
            return self.published.perf if config == PERF else self.published.cost
        return self.published.perf if config in self.configs else None


ASKED = (
    Asked("3", "sibyl", "performance, of Oracle's", of_oracle(SIBYL), (SIBYL, ORACLE)),
    Asked("3", "sibyl-over-cde", "performance of Sibyl over CDE", over(SIBYL, CDE), (SIBYL, CDE)),
    Asked("3", "sibyl-over-k-svm", "performance of Sibyl over K-SVM", over(SIBYL, K_SVM), (SIBYL, K_SVM)),
    Asked("3", "sibyl-over-rnn-hss", "performance of Sibyl over RNN-HSS", over(SIBYL, RNN_HSS), (SIBYL, RNN_HSS)),
    Asked("3", "cde+rl-migr", "performance below that of Sibyl", below(CDE_RL, SIBYL), (CDE_RL, SIBYL)),
    Asked("3", "sapm", "performance below that of Sibyl", below(SAPM, SIBYL), (SAPM, SIBYL)),
    Asked("8", "harmonia", "performance over Sibyl", over(HARMONIA, SIBYL), (HARMONIA, SIBYL)),
    Asked("8", "harmonia", "gap between Sibyl and Oracle closed", gap_closed, (HARMONIA, SIBYL, ORACLE)),
    Asked(
        "8", "harmonia", "performance over Sibyl, read-intensive", over(HARMONIA, SIBYL, LATENCY, READ),
        (HARMONIA, SIBYL),
    ),
    Asked(
        "8", "harmonia", "performance over Sibyl, write-intensive", over(HARMONIA, SIBYL, LATENCY, WRITE),
        (HARMONIA, SIBYL),
    ),
    Asked("9", "harmonia", "requests/s over Sibyl", over(HARMONIA, SIBYL, THROUGHPUT), (HARMONIA, SIBYL)),
    Asked("9", "harmonia", "requests/s, of Oracle's", of_oracle(HARMONIA, THROUGHPUT), (HARMONIA, ORACLE)),
    Asked(
        "10", "harmonia-tail", "99th percentile below that of Sibyl; LUN0, ssd-00, YCSB-B", tail_below("p99_us"),
        (HARMONIA, SIBYL),
    ),
    Asked(
        "10", "harmonia-tail", "99.99th percentile below that of Sibyl; LUN0, ssd-00, YCSB-B",
        tail_below("p9999_us"), (HARMONIA, SIBYL),
    ),
    Asked("12", "harmonia-pmem", "performance over CDE", over(HARMONIA, CDE), (HARMONIA, CDE), (PMEM,)),
    Asked("12", "harmonia-pmem", "performance, of Oracle's", of_oracle(HARMONIA), (HARMONIA, ORACLE), (PMEM,)),
    Asked("13", "harmonia-mixes", "performance over Sibyl", over(HARMONIA, SIBYL), (HARMONIA, SIBYL)),
    Asked(
        "13", "harmonia-mixes", "performance over Sibyl, mix6", over(HARMONIA, SIBYL, LATENCY, ("mix6",)),
        (HARMONIA, SIBYL),
    ),
    Asked("13", "harmonia-mixes", "performance, of Oracle's", of_oracle(HARMONIA), (HARMONIA, ORACLE)),
    Asked("14", "harmonia-tri", "performance over Sibyl", over(HARMONIA, SIBYL), (HARMONIA, SIBYL), (TRI,)),
    Asked("14", "harmonia-quad", "performance over Sibyl", over(HARMONIA, SIBYL), (HARMONIA, SIBYL), (QUAD,)),
    Asked(
        "14", "harmonia-tri", "performance over Sibyl, read-intensive, at most", largest_over(HARMONIA, SIBYL, READ),
        (HARMONIA, SIBYL), (TRI, QUAD),
    ),
    Asked("15", "harmonia-writes", "write amplification", mean_of(HARMONIA, WRITTEN), (HARMONIA,)),
    Asked("15", "harmonia-writes", "write amplification of Sibyl", mean_of(SIBYL, WRITTEN), (SIBYL,)),
    Asked("15", "harmonia-writes", "write amplification of RNN-HSS", mean_of(RNN_HSS, WRITTEN), (RNN_HSS,)),
    Asked(
        "15", "harmonia-writes", "write amplification, write-intensive", mean_of(HARMONIA, WRITTEN, WRITE),
        (HARMONIA,),
    ),
    Asked(
        "15", "harmonia-writes", "write amplification, read-intensive", mean_of(HARMONIA, WRITTEN, READ), (HARMONIA,)
    ),
)  # fmt: skip


class Shown(NamedTuple):
    """A claim on one storage beside what came out.

    Fields:
        readings: an interval for each reading.
    """

    asked: Asked
    config: str
    published: float
    readings: tuple[Interval, ...]

    @property
    def text(self) -> str:
        """The claim in words."""
        return f"{self.asked.name}: {self.asked.published.claim}"

    @property
    def holds(self) -> bool:
        """Whether a reading has the published size, but for a tenth."""
        return any(abs(each["mean"] / self.published - 1.0) <= CLOSE for each in self.readings)

    @property
    def in_order(self) -> bool:
        """Whether it has the published sign."""
        return (self.readings[0]["mean"] > 0.0) == (self.published > 0.0)


def shown(figure: str, seeds: dict[str, list[Runs]]) -> list[Shown]:
    """The claims of a figure whose policies ran, for each storage; none on an Oracle that is an estimate."""
    rows = []
    for asked, config, published in _claimed(figure, seeds):
        if not _on_an_estimate(asked, seeds[config]):
            readings = zip(*map(asked.readings, seeds[config]), strict=True)
            rows.append(Shown(asked, config, published, tuple(mean_interval(values) for values in readings)))
    return rows


def without_bound(figure: str, seeds: dict[str, list[Runs]]) -> list[Statement]:
    """The claims of a figure on an Oracle that is an estimate here: a policy can be faster, so a share says nothing."""
    return [
        Statement(
            asked.published.place, f"{config}: {asked.name}: {asked.published.claim}: {number(published)}",
            f"no share: the optimum is an {ESTIMATE} with several threads", used=False,
        )
        for asked, config, published in _claimed(figure, seeds)
        if _on_an_estimate(asked, seeds[config])
    ]  # fmt: skip


def _claimed(figure: str, seeds: dict[str, list[Runs]]) -> Iterator[tuple[Asked, str, float]]:
    """(claim, storage, published number) of a figure, where its policies ran."""
    for asked in ASKED:
        for config, runs in seeds.items() if asked.figure == figure else ():
            published = asked.value(config)
            if published is not None and set(asked.needs) <= set(runs[0].policies):
                yield asked, config, published


def _on_an_estimate(asked: Asked, seeds: Sequence[Runs]) -> bool:
    return ORACLE in asked.needs and any(runs.has_estimate for runs in seeds)


def table(figure: str, title: str, rows: Sequence[Shown], note: str) -> Table:
    """A row for each claim and storage."""
    header = ("claim", "storage", "place", "published", NAMES[0], NAMES[1], "same sign", "within a tenth")
    cells: list[tuple[Cell, ...]] = []
    for each in rows:
        values = [with_interval(reading) for reading in each.readings]
        cells.append((
            each.text, each.config, each.asked.published.place, each.published, values[0],
            values[1] if len(values) > 1 else None, each.in_order, each.holds,
        ))  # fmt: skip
    return Table(f"hybrid-{figure}", title, header, cells, f"{note} Claims with one reading stand in its first column.")


def statements(rows: Sequence[Shown], used: bool = False) -> list[Statement]:
    """Each claim with its verdict.

    Args:
        used: whether a parameter was set by it.
    """
    return [
        Statement(
            each.asked.published.place,
            f"{each.config}: {each.text}: {number(each.published)}",
            " or ".join(with_interval(reading) for reading in each.readings),
            each.holds,
            number(each.readings[0]["mean"] - each.published),
            used=used,
        )
        for each in rows
    ]
