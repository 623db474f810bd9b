"""`pmtwin simulate two-tier --example NAME`: a worked example of the paper, by formula or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pmtwin.commands import simulate
from pmtwin.config.record import run_record
from pmtwin.console.output import flatten, print_table
from pmtwin.console.progress import progress
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.two_tier.commands.legend import print_legend
from pmtwin.scenarios.two_tier.commands.system import (
    example_values,
    number_rows,
    refused_beside,
    system_result,
)
from pmtwin.scenarios.two_tier.formulas import Equilibrium, effective_rate, equilibrium, fluid, shares
from pmtwin.scenarios.two_tier.options import ANALYTIC, SEPARATE, TwoTierOptions
from pmtwin.scenarios.two_tier.scenario import TwoTier
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.errors import ConflictError, InputError
from pmtwin.sim.options import option

if TYPE_CHECKING:
    from pmtwin.scenarios.scenario import Scenario


EXAMPLES = {
    "section-v": {
        "rate": 100.0, "miss_rate": 0.2, "mu1_per_s": 1000.0, "mu2_per_s": 33.0, "processes": 4, "requests": 10_000,
    },
}  # fmt: skip
"""Example -> options; options of the command line take precedence."""

MEASURED = {"compiled": 10_000_000, "simpy": 100_000}
"""Engine -> default number of requests of a process in a simulation of the queues in equilibrium."""

OF_WINDOWS = (
    *("context", "windows", "warmup_windows", "requests_per_window", "warned_share", "rules"),
    *("goal", "response_goal_ms", "p99_goal_ms"),
)
"""Options of a run by windows, which do not go with an example."""


@dataclass(frozen=True, kw_only=True)
class Config(simulate.Config):
    """Options of `pmtwin simulate two-tier`."""

    scenario: TwoTier
    everyday: ClassVar[tuple[str, ...]] = (
        *simulate.Config.everyday, "example", "measured", "rate", "miss_rate", "processes", "requests",
    )  # fmt: skip
    example: str | None = option(
        None,
        "section-v: the queues of a process in equilibrium, and its whole workload; the others: the whole system with "
        f"a workload of the paper's evaluation ({', '.join(WORKLOADS)}). An example replaces defaults of other options",
        choices=(*EXAMPLES, *WORKLOADS),
        metavar="NAME",
        group="worked example",
        excludes=OF_WINDOWS,
    )
    measured: int | None = option(
        None,
        "requests over which the queues are simulated in equilibrium (default: 10,000,000; engine simpy 100,000)",
        low=1000,
        high=10**9,
        metavar="N",
        group="worked example",
    )

    def __post_init__(self):
        super().__post_init__()
        if self.example and (self.explain or self.dump_latencies):
            raise ConflictError(
                "example", self.example, "does not go with --explain or --dump-latencies; remove it or these options"
            )
        if self.measured is not None and (self.example not in EXAMPLES or self.scenario.engine == ANALYTIC):
            raise ConflictError("measured", self.measured, "belongs to --example section-v, simulated; remove it")

    @classmethod
    def of_scenario(
        cls, scenario: type[Scenario], values: Mapping[str, Any], given: Mapping[str, Any]
    ) -> dict[str, object]:
        name = given.get("example")
        if name not in (*EXAMPLES, *WORKLOADS):
            return super().of_scenario(scenario, values, given)
        values = {path: value for path, value in values.items() if path not in refused_beside(name)}
        values = example_values(name, values) if name in WORKLOADS else {**EXAMPLES[name], **values}
        return super().of_scenario(scenario, values, given)

    def scenario_without_use(self):
        """The options that have no use; beside an example, those of another system."""
        if self.example is None:
            return super().scenario_without_use()
        return self.scenario.options.idle | refused_beside(self.example)


def run(config: Config) -> int:
    """Compute and print; returns 0."""
    if config.example is None:
        return simulate.run(config)
    result_of(config).print(config.json)
    return 0


def result_of(config: Config) -> Result:
    """Result of a run by windows, or of a worked example, whose table has a row for each number."""
    if config.example is None:
        return simulate.result_of(config)
    if config.example in WORKLOADS:
        return system_result(config)
    options, rate = config.scenario.options, config.scenario.options.rate
    if rate is None:
        raise InputError("rate", None, f"a number of requests/s, as example {config.example} has no loads")
    threads = (config.setting or config.scenario.initial_setting)[0]
    result = _answers(config, options, rate, threads)
    record = {"threads": threads, "seed": config.seed} | run_record(config)
    return Result(result | {"configuration": record}, lambda: _print(result), lambda: number_rows(result))


def _answers(config: Config, options: TwoTierOptions, rate: float, threads: int) -> dict:
    """The result without its configuration: fields of `Equilibrium`, `completion_s`, and their origin."""
    from pmtwin.scenarios.two_tier.simulated import BATCHES, run_equilibrium, run_workload
    from pmtwin.scenarios.two_tier.transient import transient

    head = {"example": config.example, "engine": options.engine, "threads": threads}
    limits = fluid(options, rate, threads)._asdict() | {"effective_rate_per_s": effective_rate(options, rate)}
    if options.servers == SEPARATE:
        from pmtwin.scenarios.two_tier.transient import transient  # with numba: not for --help

        start = transient(options, rate, threads, shares(options)[0][0])
        limits |= {"transient_response_ms": start.mean_response_ms, "transient_completion_s": start.completion_s}
    if options.engine == ANALYTIC:
        waits = _known_numbers(equilibrium(options, rate, threads))
        return head | waits | limits
    try:
        formulas = _known_numbers(equilibrium(options, rate, threads))
    except InputError:  # overload: there is no equilibrium to compare with
        formulas = None
    count = config.measured or MEASURED[options.engine]
    total = options.processes + (BATCHES if formulas else 0)
    with progress(desc="simulate", total=total, unit="run") as bar:
        workload = run_workload(options, rate, threads, config.seed, bar.update)
        measured = run_equilibrium(options, rate, threads, count, config.seed, bar.update) if formulas else {}
    waits = {name: entry["mean"] for name, entry in measured.items()} or workload.means
    return {
        **head,
        **waits,
        "completion_s": workload.completion_s,
        "equilibrium": formulas is not None,
        "intervals": {name: [entry["low"], entry["high"]] for name, entry in measured.items()} or None,
        "measured_requests": count if formulas else options.requests,
        "workload": workload.means,
        "formulas": {**(formulas or {}), **limits},
    }


def _known_numbers(state: Equilibrium) -> dict[str, float]:
    return {name: value for name, value in state._asdict().items() if value is not None}


def _print(result: dict) -> None:
    formulas, intervals = result.get("formulas"), result.get("intervals") or {}
    numbers = {name: value for name, value in result.items() if isinstance(value, float)}
    if formulas is None:
        print_table(numbers.items(), ("formula", ""))
    else:
        rows = [
            (name, value, *(intervals.get(name) or (None, None)), formulas.get(name)) for name, value in numbers.items()
        ]
        print_table(rows, ("", "simulated", "low", "high", "formula"))
        print()
        print_table(flatten({name: value for name, value in formulas.items() if name not in numbers}), ("formula", ""))
        if not result["equilibrium"]:
            print("overload: no equilibrium; means over the whole workload, from empty queues to its end")
    print()
    print_legend([*numbers, *(name for name in formulas or () if name not in numbers)])
    print("(--json: the whole configuration)")
