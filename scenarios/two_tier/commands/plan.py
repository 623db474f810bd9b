"""`pmtwin plan two-tier --rate R --p99 T`: the cheapest lines, processes, threads and page size, and a simulation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import ClassVar

from pmtwin.commands import plan
from pmtwin.config.record import run_record
from pmtwin.console.output import print_json, print_table, print_text
from pmtwin.console.progress import progress
from pmtwin.scenarios.two_tier.commands.legend import print_legend
from pmtwin.scenarios.two_tier.options import TwoTierOptions
from pmtwin.scenarios.two_tier.scenario_options import OF_WHOLE
from pmtwin.scenarios.two_tier.sizing.options import SizingOptions
from pmtwin.sim.common.standard_output import results
from pmtwin.sim.options import option

NEAR = 0.02
"""Largest distance from a limit, as a share, at which it counts as reached: threads and lines are whole numbers."""


@dataclass(frozen=True, kw_only=True)
class Config(plan.Config, SizingOptions):
    """Options of `pmtwin plan two-tier`."""

    replaced: ClassVar[tuple[str, ...]] = (
        "engine", "rate", "miss_rate", "mu2_per_s", "arrival_cov", "servers", "processes", "requests",
        "requests_per_window", "response_goal_ms", "model", *OF_WHOLE,
    )  # fmt: skip
    everyday: ClassVar[tuple[str, ...]] = (
        "rate", "p99", "data_gb", "request_bytes", "disks", "page_bytes", "process_cost", "thread_cost", "gb_cost",
        "measured", "seed", "json",
    )  # fmt: skip
    runners_up: int = option(4, "number of further configurations to show", low=0, high=50, metavar="N")
    measured: int = option(
        1_000_000, "simulated requests per process for the p99; 0: no simulation", low=0, high=10**9,
        metavar="N",
    )  # fmt: skip


def run(config: Config) -> int:
    """Search, simulate and print; returns 0, or 1 if the simulated p99 is above the goal by more than its interval."""
    from pmtwin.scenarios.two_tier.commands.checking import checked
    from pmtwin.scenarios.two_tier.sizing.search import Search

    options = config.scenario.options
    search = Search(
        config, TwoTierOptions(**{field.name: getattr(options, field.name) for field in fields(TwoTierOptions)})
    )
    with progress(desc="search", total=len(config.page_bytes), unit="page size") as bar:
        best, *runners_up = search.best(1 + config.runners_up, bar.update)
    result: dict[str, object] = {"best": asdict(best), "runners_up": [asdict(runner_up) for runner_up in runners_up]}
    simulated = checked(search, best, config.measured, config.seed) if config.measured else None
    if simulated is not None:
        result["simulated"] = simulated
    if config.json:
        print_json(result | {"configuration": {"seed": config.seed} | run_record(config)})
    else:
        _print(result, config)
    low = None if simulated is None else simulated["p99_ms"]["low"]
    return 1 if low is not None and low > config.p99 else 0


@results()
def _print(result: dict, config: Config) -> None:
    names = tuple(result["best"])
    configurations = (result["best"], *result["runners_up"])
    rows = [[_rounded(configuration[name]) for name in names] for configuration in configurations]
    print_table([("best" if number == 0 else number + 1, *row) for number, row in enumerate(rows)], ("", *names))
    if config.measured:
        print()
        simulated = result["simulated"]
        compared = [(name, *map(_rounded, row.values())) for name, row in simulated.items() if isinstance(row, dict)]
        print_table(compared, ("", "simulated", "low", "high", "formula", "formula's error, %"))
    print(
        f"\ncost: {config.process_cost:g} a process, {config.thread_cost:g} a service thread, {config.gb_cost:g} a GB"
    )
    print_legend(names)
    print_text(_limit(result["best"], config))
    print("(--json: the whole configuration)")


def _limit(best: dict, config: Config) -> str:
    """The limit that determines the configuration: the p99, or a load at its limit, with the p99 below the goal."""
    loads = {"rho1": "the service threads", "rho2": "the I/O thread"}
    full = [name for name in loads if best[name] >= (1.0 - NEAR) * config.most_load]
    goal = f"{best['p99_ms']:.4g} ms for a goal of {config.p99:g} ms"
    if best["p99_ms"] >= (1.0 - NEAR) * config.p99:
        return f"the p99 decides: {goal}"
    if full:
        queues = " and ".join(f"{name} ({loads[name]})" for name in full)
        return f"the load decides, not the p99: {queues} is at --most-load {config.most_load:g}; p99 {goal}"
    return f"neither the p99 nor --most-load is reached: threads, lines and processes are whole numbers; {goal}"


def _rounded(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value
