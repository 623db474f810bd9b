"""`pmtwin evaluate two-tier --trace FILE`: evaluation of replacement policies on caches that replay a trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.commands import evaluate
from pmtwin.console.output import print_table
from pmtwin.evaluation.leaderboard import all_alike
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.block_traces import APART, TOGETHER
from pmtwin.scenarios.scenario import Scenario
from pmtwin.scenarios.two_tier.scenario import TwoTier
from pmtwin.scenarios.two_tier.scenario_options import WHOLE, ScenarioOptions
from pmtwin.sim.options import leaves, option, option_again

if TYPE_CHECKING:
    from pmtwin.scenarios.two_tier.replay import Replay

GROUP = "replay of a trace"
BESIDE_A_TRACE = "does not go with --trace, which simulates nothing but the caches; remove one of the two"
WINDOWS = 100
"""Default number of equal parts of a trace (`--steps`)."""

OF_WHOLE = MappingProxyType({"steps": 400, "context_steps": 50})
"""Default length of a run of the whole system: shorter, since its windows take long; each load occurs twice."""

WIDEST = 4
"""Largest number of cache sizes as columns of the ranking; more sizes become the rows of a table."""


def _by_system(name: str, more: str = "") -> str:
    """End of the help of an option whose default depends on the system that runs."""
    process = evaluate.Config.__dataclass_fields__[name].default
    return f" (default: {process}; of the whole system: {OF_WHOLE[name]}{more})"


@dataclass(frozen=True, kw_only=True)
class Lengths(evaluate.Config):
    """Options whose defaults depend on the system that runs; a base class, so that help lists `Config`'s first."""

    steps: int = option_again(evaluate.Config, "steps", words=_by_system("steps", f"; of a trace: {WINDOWS}"))
    context_steps: int = option_again(evaluate.Config, "context_steps", words=_by_system("context_steps"))


@dataclass(frozen=True, kw_only=True)
class Config(Lengths):
    """Options of `pmtwin evaluate two-tier`; with a trace only the caches are simulated."""

    everyday: ClassVar[tuple[str, ...]] = (*evaluate.Config.everyday, "trace", "cache", "page_bytes")
    trace: Path | None = option(
        None,
        "block requests, in any format of the page two-tier, also compressed or a pipe: the policies replace pages",
        group=GROUP,
    )
    cache: tuple[str, ...] = option(
        ("1%", "10%"),
        "sizes of the cache: lines, shares of the trace's pages, or 0.1%..10% for a curve",
        metavar="SIZE",
        group=GROUP,
    )
    page_bytes: int = option(
        4096, "bytes of a page; requests are split into pages", low=1, high=1 << 30, metavar="BYTES", group=GROUP
    )
    volumes: str = option(
        APART, "whether equal offsets of two volumes (column dev) are different pages", choices=(APART, TOGETHER),
        metavar="NAME", group=GROUP,
    )  # fmt: skip

    replaced: ClassVar[tuple[str, ...]] = ("page_bytes",)
    of_traces: ClassVar[tuple[str, ...]] = ("cache", "page_bytes", "volumes")
    not_of_traces: ClassVar[tuple[str, ...]] = ("goal", "schedule", "contexts", "context_steps", "warned_share")

    def without_use(self):
        """Without a trace the options of its replay; with a trace the options of the system, which is not simulated."""
        if self.trace is None:
            return {**super().without_use(), **dict.fromkeys(self.of_traces, "belongs to --trace; add that")}
        return {**super().without_use(), **dict.fromkeys(self.not_of_traces, BESIDE_A_TRACE)}

    def scenario_without_use(self):
        if self.trace is None:
            return super().scenario_without_use()
        return {leaf.name: BESIDE_A_TRACE for leaf in leaves(ScenarioOptions)}

    def plan(self):
        if self.trace is not None:
            _ = self.scenario.size  # reads the trace, so that errors in it come first
        return super().plan()

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        if given.get("trace") is None:
            entries = super().of_scenario(scenario, values, given)
            system = entries["scenario"]
            is_whole = isinstance(system, TwoTier) and system.options.below == WHOLE
            return {**{name: value for name, value in OF_WHOLE.items() if is_whole and name not in given}, **entries}
        from pmtwin.scenarios.two_tier.replay import Replay, Replayed, sizes_of

        of_command = {leaf.name: leaf for leaf in leaves(cls)}
        cache, page_bytes, volumes = (given.get(name, of_command[name].default) for name in cls.of_traces)
        steps = given.get("steps", WINDOWS)
        replay = Replay(Replayed(given["trace"], page_bytes, volumes, sizes_of(cache), steps))
        return {"scenario": replay} | ({} if "steps" in given else {"steps": steps})


def run(config: Config) -> int:
    """Evaluate and print; returns 0."""
    if config.dry_run or config.trace is None:
        return evaluate.run(config)
    result = result_of(config)
    result.print(config.json)
    return 0


def result_of(config: Config) -> Result:
    """Result of an evaluation; for a trace its table has a row for each policy and cache size."""
    from pmtwin.scenarios.two_tier.replay import Replay

    result, replay = evaluate.result_of(config), config.scenario
    if not isinstance(replay, Replay):
        return result
    from pmtwin.scenarios.two_tier.figures.curve import HEADER, rows_of

    rows = rows_of(result, replay)
    has_many_sizes = len(replay.lines) > WIDEST and not config.details
    show = (lambda: _print_curve(result, rows, replay)) if has_many_sizes else result.show
    return Result(dict(result), show, lambda: [dict(zip(HEADER, row, strict=True)) for row in rows])


def _print_curve(result: Result, rows: list[tuple], replay: Replay) -> None:
    """Print the trace, then a table with a row for each cache size and a column for each policy, best first."""
    print_table(list(replay.setup(()).items())[:-1])
    print()
    specs = list(dict.fromkeys(row[0] for row in rows))
    ratios = {(spec, lines): mean for spec, _, lines, mean, *_ in rows}
    sizes = dict(zip(replay.lines, replay.replayed.sizes, strict=True))
    table = [(size, lines, *(ratios[spec, lines] for spec in specs)) for lines, size in sizes.items()]
    print_table(table, ("cache", "lines", *specs))
    over, more = ("", "") if all_alike(result) else (", mean over runs", "; --json: with intervals")
    print(f"miss ratio{over} (--report DIR: the curve as a picture and CSV{more})")
