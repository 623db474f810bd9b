"""`pmtwin simulate two-tier --example table-vii`: the whole system of section III, beside the published times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from pmtwin.config.record import run_record
from pmtwin.console.output import print_table
from pmtwin.console.progress import progress
from pmtwin.evaluation.results import Result
from pmtwin.scenarios.two_tier.options import ANALYTIC, TwoTierOptions
from pmtwin.scenarios.two_tier.scenario_options import OF_WHOLE
from pmtwin.scenarios.two_tier.storage.costs import read_costs
from pmtwin.scenarios.two_tier.storage.fluid import doubts, fluid_of
from pmtwin.scenarios.two_tier.storage.options import StorageOptions
from pmtwin.scenarios.two_tier.storage.published import SCALING
from pmtwin.scenarios.two_tier.storage.system import System
from pmtwin.scenarios.two_tier.storage.workloads import WORKLOADS
from pmtwin.sim.errors import InputError

DOUBTS = "fluid_doubts"
"""Why the fluid limit is in doubt for this system, in a result."""

OF_SCENARIO = ("engine", "processes", "requests")
"""Options of the scenario that mean something for the whole system."""


def refused_beside(example: str) -> dict[str, str]:
    """Options of the scenario without use beside an example -> why."""
    if example not in WORKLOADS:
        return dict.fromkeys(OF_WHOLE, f"belongs to --example {' or '.join(WORKLOADS)}; remove it")
    reason = f"does not go with --example {example}, whose costs are those of the profile; remove it"
    return {each.name: reason for each in fields(TwoTierOptions) if each.name not in OF_SCENARIO}


def example_values(name: str, values: Mapping[str, object]) -> dict[str, object]:
    """Options of the scenario for a workload of the whole system, not of its windows; given options take precedence."""
    workload, usual = WORKLOADS[name], StorageOptions()
    of_paper = {each.name: getattr(usual, each.name) for each in fields(StorageOptions)}
    sizes: dict[str, float] = {"processes": workload.processes[0], "requests": workload.requests}
    sizes["response_goal_ms"] = TwoTierOptions().response_goal_ms  # which one run to its end has not
    return {**of_paper, **workload.storage, **sizes, **values}


def system_result(config) -> Result:
    """The whole system, simulated or by formula; the table has a row for each number."""
    result = answers(config)
    record = {"seed": config.seed} | run_record(config)
    return Result(
        result | {"configuration": record}, lambda: _print(result, config.scenario.engine), lambda: number_rows(result)
    )


def number_rows(result: Mapping) -> list[dict]:
    """Name and value of each number of a result."""
    return [{"name": name, "value": value} for name, value in result.items() if isinstance(value, int | float)]


def _print(result: Mapping, engine: str) -> None:
    flat = {name: value for name, value in result.items() if not isinstance(value, dict) and value is not None}
    said = flat.pop(DOUBTS, "")
    print_table(flat.items(), ("the whole system", ""))
    print()
    titles = {"fluid": "fluid limit", "published": "published"}
    beside = {title: column for name, title in titles.items() if (column := result.get(name))}
    names = ("response_s", "disk_s", "completion_s")
    rows = [(name, result[name], *(column.get(name) for column in beside.values())) for name in names]
    print_table(rows, ("", "fluid limit" if engine == ANALYTIC else engine, *beside))
    if said:
        print(f"fluid limit: {said}")
    print("(--json: the whole configuration)")


def answers(config) -> dict:
    """The result without its configuration."""
    options, workload = config.scenario.options, WORKLOADS[config.example]
    threads = config.setting[0] if config.setting else workload.threads
    storage = StorageOptions(**{each.name: getattr(options, each.name) for each in fields(StorageOptions)})
    system = System(storage, read_costs()[0], options.processes, threads, options.requests)
    head = {"example": config.example, "engine": options.engine, "processes": system.processes, "threads": threads}
    beside: dict[str, object] = {"published": _published(config, system)}
    if options.engine == ANALYTIC:
        return head | fluid_of(system) | {DOUBTS: doubts(system) or None} | beside
    from pmtwin.scenarios.two_tier.storage.running import simulate_system

    with progress(desc="simulate", total=system.requests, unit="request") as bar:
        times = simulate_system(system, config.seed, options.engine, bar.update)
    try:
        beside |= {"fluid": fluid_of(system), DOUBTS: doubts(system) or None}
    except InputError:  # caches that are too small, or pages in order: there is no formula
        beside["fluid"] = None
    shown = times._asdict()
    counts = shown.pop("counts")
    return head | shown | counts | beside


def _published(config, system: System) -> dict[str, float] | None:
    """The row of the paper's table, where the table has this system."""
    row = SCALING.get(config.example, {}).get(system.processes)
    if row is None or system != WORKLOADS[config.example].system(system.processes, system.costs):
        return None
    return {"response_s": row[0], "disk_s": row[1], "completion_s": max(row)}
